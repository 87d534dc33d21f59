// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads and checks any bytes as an HFS+ volume, and valid volumes with a few changed bytes.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/media/format/hfsplus/check.hpp"
#include "host/media/format/hfsplus/encode.hpp"
#include "host/media/inspect/read_hfsplus.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

void look(Raw bytes) {
    const Bytes size{bytes.size()};
    const MemoryMedium memory{.size = size, .pieces = {{.at = {}, .bytes = bytes}}, .unreadable = {}};
    const MediumReader medium(memory);
    const auto volume = read_hfs_plus(medium, {}, size);
    if (volume) (void)parameters_of(*volume);
    (void)hfsplus::lines_of(hfsplus::check_volume(medium, {}, size));
}

/// Returns the first MiB of the smallest volume, with the catalog moved into it and the copy of the header at its end.
/// It contains every structure and is small enough for many rounds per second.
std::vector<std::byte> small_volume() {
    constexpr std::uint32_t blocks = 256, catalog_at = 200;
    const auto layout = hfsplus::plan_volume(
        16_MiB, 512_B, {.created = std::chrono::sys_seconds(std::chrono::seconds(1'700'000'000)), .volume_id = 1});
    std::vector<std::byte> volume(blocks * layout->block_size.count);
    const auto put = [&volume](Bytes offset, Raw bytes) {
        if (offset.count + bytes.size() <= volume.size())
            std::copy(bytes.begin(), bytes.end(), volume.begin() + static_cast<std::ptrdiff_t>(offset.count));
    };
    const Bytes catalog = layout->offset_of(layout->catalog.extent);
    for (const hfsplus::Piece& piece : hfsplus::structures(*layout)) {
        const bool in_catalog = piece.offset >= catalog;
        put(in_catalog ? piece.offset - catalog + layout->block_size * catalog_at : piece.offset, piece.bytes);
    }
    std::vector<std::byte> header = hfsplus::volume_headers(*layout).back().bytes;
    const auto store = [&header](std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i) header[at + i] = static_cast<std::byte>(value >> (24 - 8 * i) & 0xFF);
    };
    store(0x2C, blocks);
    store(0x30, 0);
    store(0x110 + 16, catalog_at);
    put(hfs_plus_header_offset, header);
    put(Bytes{volume.size()} - hfs_plus_header_offset, header);
    return volume;
}

} // namespace

/// If the first byte is odd, the input is a complete medium. Otherwise each four bytes are a change of the small
/// volume: three bytes are the offset, taken modulo the length of the volume, and one byte is the value.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Raw input = std::as_bytes(std::span(data, size));
    if (data[0] % 2 == 1) {
        look(input.subspan(1));
        return 0;
    }
    static const std::vector<std::byte> sound = small_volume();
    std::vector<std::byte> volume = sound;
    for (std::size_t at = 1; at + 4 <= size; at += 4) {
        const std::size_t place =
            load_be<std::uint8_t>(input, at) * std::size_t{65536} + load_be<std::uint16_t>(input, at + 1);
        volume[place % volume.size()] = input[at + 3];
    }
    look(volume);
    return 0;
}
