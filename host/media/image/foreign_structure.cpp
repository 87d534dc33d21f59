// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/image/foreign_structure.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string_view>

namespace mediarig::media {
namespace {

std::uint64_t big_endian(FileBytes bytes) {
    std::uint64_t value = 0;
    for (const unsigned char byte : bytes) value = value << 8 | byte;
    return value;
}

std::uint64_t little_endian(FileBytes bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | bytes[i];
    return value;
}

bool is_control(std::uint32_t character) {
    const bool space = character == '\n' || character == '\r' || character == '\t' || character == '\f';
    return (character < 0x20 && !space) || character == 0x7f;
}

bool is_utf16(FileBytes sector) {
    const bool little = sector[0] == 0xff && sector[1] == 0xfe;
    if (!little && !(sector[0] == 0xfe && sector[1] == 0xff)) return false;
    bool line = false, high = false;
    for (std::size_t i = 2; i + 1 < sector.size(); i += 2) {
        const auto unit = little ? little_endian(sector.subspan(i, 2)) : big_endian(sector.subspan(i, 2));
        const bool low_follows = unit >= 0xdc00 && unit < 0xe000;
        if (high != low_follows || is_control(static_cast<std::uint32_t>(unit)) || unit >= 0xfffe) return false;
        high = unit >= 0xd800 && unit < 0xdc00;
        line = line || unit == '\n';
    }
    return line;
}

/// Digits of base 8, with blanks or NULs around them, as tar writes them.
std::optional<std::uint64_t> octal(FileBytes field) {
    std::string_view text(reinterpret_cast<const char*>(field.data()), field.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const std::size_t digits = std::min(text.find_first_not_of("01234567"), text.size());
    if (digits == 0) return std::nullopt;
    std::uint64_t value = 0;
    for (const char digit : text.substr(0, digits)) value = value * 8 + static_cast<std::uint64_t>(digit - '0');
    if (digits < text.size() && text[digits] != ' ' && text[digits] != '\0') return std::nullopt;
    return value;
}

/// The bytes of a frame of layer III, 0 where there is none; the tables of ISO 11172-3 and 13818-3.
std::size_t mp3_frame(FileBytes header) {
    constexpr std::array<std::array<unsigned, 16>, 2> kilobits{
        {{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0},
         {0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0}}};
    constexpr std::array<unsigned, 4> hertz{44100, 48000, 32000, 0};
    const unsigned version = header[1] >> 3 & 3, layer = header[1] >> 1 & 3, padding = header[2] >> 1 & 1;
    if (header[0] != 0xff || (header[1] & 0xe0) != 0xe0 || version == 1 || layer != 1) return 0;
    const bool first = version == 3;
    const unsigned rate = kilobits[first ? 0 : 1][header[2] >> 4];
    const unsigned sampled = hertz[header[2] >> 2 & 3] >> (first ? 0 : version == 2 ? 1 : 2);
    if (rate == 0 || sampled == 0) return 0;
    return (first ? 144 : 72) * rate * 1000 / sampled + padding;
}

} // namespace

bool is_text(FileBytes sector) {
    if (sector.size() < 512) return false;
    if (is_utf16(sector.first(512))) return true;
    const FileBytes text = sector.first(512);
    // Without a line it may be a pattern that somebody has filled a medium with; and so are line feeds alone.
    return std::ranges::find(text, '\n') != text.end() &&
           std::ranges::any_of(text, [](auto byte) { return byte != '\n'; }) && std::ranges::none_of(text, is_control);
}

bool is_tar(FileBytes head) {
    if (head.size() < 512 || head[0] == 0) return false;
    const auto sum = octal(head.subspan(148, 8)), mode = octal(head.subspan(100, 8)),
               size = octal(head.subspan(124, 12));
    if (!sum || !mode || !size) return false;
    std::uint64_t counted = std::uint64_t{8} * ' ';
    for (std::size_t i = 0; i < 512; ++i)
        if (i < 148 || i >= 156) counted += head[i];
    return counted == *sum;
}

bool is_dbase(FileBytes head, std::uint64_t file_size) {
    constexpr std::array<unsigned char, 10> versions{0x02, 0x03, 0x30, 0x31, 0x32, 0x43, 0x83, 0x8b, 0xcb, 0xf5};
    if (head.size() < 65 || std::ranges::find(versions, head[0]) == versions.end()) return false;
    const std::uint64_t records = little_endian(head.subspan(4, 4)), header = little_endian(head.subspan(8, 2)),
                        record = little_endian(head.subspan(10, 2));
    if (head[2] < 1 || head[2] > 12 || head[3] < 1 || head[3] > 31 || header + records * record > file_size)
        return false;
    // One is the mark of a record that is deleted.
    std::uint64_t together = 1;
    std::size_t at = 32;
    for (; at + 32 < head.size() && at < header && head[at] != 0x0d; at += 32) {
        constexpr std::string_view types = "+0@BCDFGILMNOPQTVWY";
        const char type = static_cast<char>(head[at + 11]);
        if (head[at] < 'A' || head[at] > 'z' || types.find(type) == std::string_view::npos) return false;
        together += head[at + 16];
        // Character fields of FoxPro may have more than 255 bytes.
        if (type == 'C') together += std::uint64_t{head[at + 17]} * 256;
    }
    return at > 32 && at < header && head[at] == 0x0d && together == record;
}

bool is_berkeley_db(FileBytes head) {
    if (head.size() < 24) return false;
    const auto agree = [&](auto number) {
        const std::uint64_t magic = number(head.subspan(12, 4)), version = number(head.subspan(16, 4)),
                            page = number(head.subspan(20, 4));
        const bool known = magic == 0x053162 || magic == 0x061561 || magic == 0x042253 || magic == 0x074582;
        return known && version >= 1 && version <= 20 && std::has_single_bit(page) && page >= 512 && page <= 65536;
    };
    return agree(big_endian) || agree(little_endian);
}

bool is_mp3(FileBytes head) {
    constexpr int enough = 4;
    std::size_t at = 0;
    for (int frame = 0; frame < enough; ++frame) {
        if (at + 4 > head.size()) return false;
        const std::size_t length = mp3_frame(head.subspan(at, 4));
        // Version, layer and sample rate stay those of the first.
        if (length == 0 || head[at + 1] >> 1 != head[1] >> 1 || (head[at + 2] & 0x0c) != (head[2] & 0x0c)) return false;
        at += length;
    }
    return true;
}

bool is_vhd_footer(FileBytes tail, std::uint64_t file_size) {
    if (tail.size() < 512 || !std::ranges::equal(tail.first(8), std::string_view("conectix"))) return false;
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < 512; ++i)
        if (i < 64 || i >= 68) sum += tail[i];
    return big_endian(tail.subspan(64, 4)) == static_cast<std::uint32_t>(~sum) &&
           big_endian(tail.subspan(48, 8)) == file_size - 512;
}

} // namespace mediarig::media
