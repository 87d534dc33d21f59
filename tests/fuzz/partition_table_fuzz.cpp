// SPDX-License-Identifier: GPL-3.0-or-later
/// MBR, GPT and everything that inspect() recognises: any bytes as a medium. A second round gets GPT's checksums right.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/media/inspect/inspect.hpp"
#include "host/media/inspect/partition_table.hpp"
#include "tests/fuzz/memory_medium.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

constexpr std::size_t sector = 512;

void put(std::vector<std::byte>& medium, std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) medium[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xFF);
}

/// The header's entries wherever it says they are, then the header itself.
void put_checksums(std::vector<std::byte>& medium) {
    const Raw header = Raw(medium).subspan(sector, sector);
    const auto at = load_le<std::uint64_t>(header, 0x48);
    const std::uint64_t length =
        std::uint64_t{load_le<std::uint32_t>(header, 0x50)} * load_le<std::uint32_t>(header, 0x54);
    if (at < medium.size() / sector && length <= medium.size() - at * sector)
        put(medium, sector + 0x58, crc32(Raw(medium).subspan(at * sector, length)));
    const auto size = std::clamp<std::size_t>(load_le<std::uint32_t>(header, 0x0C), 92, sector);
    put(medium, sector + 0x10, 0);
    put(medium, sector + 0x10, crc32(Raw(medium).subspan(sector, size)));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::byte> medium(size);
    for (std::size_t i = 0; i < size; ++i) medium[i] = static_cast<std::byte>(data[i]);
    (void)inspect(fuzz::medium_with(medium), {medium.size()}, sector);
    if (size < 3 * sector) return 0;
    put_checksums(medium);
    (void)inspect(fuzz::medium_with(medium), {medium.size()}, sector);
    return 0;
}
