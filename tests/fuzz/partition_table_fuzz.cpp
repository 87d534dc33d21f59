// SPDX-License-Identifier: GPL-3.0-or-later
/// MBR, GPT and everything that inspect() recognises: chunks as a medium. Switch 0 gets the GPT's checksums right,
/// switch 2 has sectors of 4096 bytes, switch 3 looks at the table alone.
#include <algorithm>

#include "host/media/inspect/inspect.hpp"
#include "host/media/inspect/read_table.hpp"
#include "tests/fuzz/chunked_medium.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

/// Of the header's entries wherever it says they are, then of the header itself.
void put_checksums(fuzz::ChunkedMedium& medium, Bytes sector, Bytes at) {
    const auto header = medium.bytes(at, 512_B);
    if (header.empty() || !is_gpt(header)) return;
    const auto entries = load_le<std::uint64_t>(header, 0x48);
    const std::uint64_t count = load_le<std::uint32_t>(header, 0x50), size = load_le<std::uint32_t>(header, 0x54);
    if (entries > medium.size() / sector || count > 64 || size > 512) return;
    const auto array = medium.bytes(byte_offset(Lba{entries}, sector), Bytes{count * size});
    medium.put(at + 0x58_B, crc32(array), 4);
    medium.put(at + 0x10_B, 0, 4);
    const auto length = std::clamp<std::uint64_t>(load_le<std::uint32_t>(header, 0x0C), 92, 512);
    medium.put(at + 0x10_B, crc32(medium.bytes(at, Bytes{length})), 4);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::ChunkedMedium medium(data, size);
    const Bytes sector = medium.asks_for(2) ? 4_KiB : 512_B;
    if (medium.asks_for(0)) {
        put_checksums(medium, sector, sector);
        if (medium.size() > sector) put_checksums(medium, sector, align_down(medium.size(), sector) - sector);
    }
    if (medium.asks_for(3) && medium.size() >= 4_KiB)
        (void)read_partition_table(medium.reader(), sector);
    else
        (void)inspect(medium.reader(), static_cast<std::uint32_t>(sector.count));
    return 0;
}
