// SPDX-License-Identifier: GPL-3.0-or-later
/// Corrects the checksums of a GPT, so that the parser reads the changes of a fuzzer.
#pragma once

#include <algorithm>

#include "host/media/inspect/partition_table.hpp"
#include "tests/fuzz/chunked_medium.hpp"

namespace mediarig::fuzz {

/// Corrects the checksum of the entries at the place given in the header, then that of the header.
inline void put_gpt_checksums_at(ChunkedMedium& medium, Bytes sector, Bytes at) {
    const auto header = medium.bytes(at, 512_B);
    if (header.empty() || !media::is_gpt(header)) return;
    const auto entries = media::load_le<std::uint64_t>(header, 0x48);
    const std::uint64_t count = media::load_le<std::uint32_t>(header, 0x50),
                        size = media::load_le<std::uint32_t>(header, 0x54);
    if (entries > medium.size() / sector || count > 64 || size > 512) return;
    const auto array = medium.bytes(byte_offset(Lba{entries}, sector), Bytes{count * size});
    medium.put(at + 0x58_B, media::crc32(array), 4);
    medium.put(at + 0x10_B, 0, 4);
    const auto length = std::clamp<std::uint64_t>(media::load_le<std::uint32_t>(header, 0x0C), 92, 512);
    medium.put(at + 0x10_B, media::crc32(medium.bytes(at, Bytes{length})), 4);
}

/// Corrects both copies.
inline void put_gpt_checksums(ChunkedMedium& medium, Bytes sector) {
    put_gpt_checksums_at(medium, sector, sector);
    if (medium.size() > sector) put_gpt_checksums_at(medium, sector, align_down(medium.size(), sector) - sector);
}

} // namespace mediarig::fuzz
