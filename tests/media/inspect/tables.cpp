// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/inspect/tables.hpp"

#include "host/media/inspect/partition_table.hpp"

namespace mediarig::test {

void put_entry(Image& image, std::uint64_t record, int number, int type, std::uint32_t first, std::uint32_t sectors,
               int status) {
    const std::uint64_t at = record + 446 + 16 * static_cast<std::uint64_t>(number - 1);
    image.write(at, {status, 0x00, 0x02, 0x00, type, 0xFE, 0xFF, 0xFF});
    image.write(at + 8, le32(first));
    image.write(at + 12, le32(sectors));
    image.write(record + 510, std::vector<int>{0x55, 0xAA});
}

void put_gpt(Image& image, std::uint64_t unit, Bytes start, Bytes end) {
    const std::uint64_t last = image.size().count / unit - 1, array = 128 * 128 / unit;
    std::vector<std::byte> entries(std::size_t{128} * 128);
    const auto put = [](std::vector<std::byte>& bytes, std::size_t at, const std::vector<int>& values) {
        for (const int value : values) bytes[at++] = static_cast<std::byte>(value);
    };
    put(entries, 0, std::vector<int>(16, 0x11));
    put(entries, 16, std::vector<int>(16, 0x22));
    put(entries, 32, le64(start.count / unit));
    put(entries, 40, le64(end.count / unit - 1));
    for (const bool backup : {false, true}) {
        std::vector<std::byte> header = bytes_of("EFI PART");
        header.resize(92);
        put(header, 8, {0, 0, 1, 0, 92});
        put(header, 0x18, le64(backup ? last : 1));
        put(header, 0x20, le64(backup ? 1 : last));
        put(header, 0x28, le64(2 + array));
        put(header, 0x30, le64(last - array - 1));
        put(header, 0x48, le64(backup ? last - array : 2));
        put(header, 0x50, le32(128));
        put(header, 0x54, le32(128));
        put(header, 0x58, le32(media::crc32(entries)));
        put(header, 0x10, le32(media::crc32(header)));
        image.write((backup ? last : 1) * unit, header);
        image.write((backup ? last - array : 2) * unit, entries);
    }
}

} // namespace mediarig::test
