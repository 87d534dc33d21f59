// SPDX-License-Identifier: GPL-3.0-or-later
/// Inspects chunks of any bytes as a volume of HFS+ or HFSX. Switch 0 corrects the checksum of the journal header.
/// Switch 1 lists the parameters as well.
#include "host/media/inspect/read_hfsplus.hpp"
#include "tests/fuzz/chunked_medium.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

/// Corrects the checksum of the journal header, in the byte order of that header.
void put_journal_checksum(fuzz::ChunkedMedium& medium) {
    const auto raw = medium.bytes(hfs_plus_header_offset, hfs_plus_header_length);
    if (raw.empty()) return;
    const auto header = parse_hfs_plus(raw);
    if (!header) return;
    const auto block = medium.bytes(header->block_size * header->journal_info_block, 180_B);
    if (block.empty()) return;
    const Bytes at = parse_hfs_plus_journal_info(block).offset;
    const auto journal = medium.bytes(at, Bytes{hfs_plus_journal_header_length});
    if (journal.empty()) return;
    const std::uint32_t sum = hfs_plus_journal_checksum(journal);
    const bool little = load_le<std::uint32_t>(journal, 4) == 0x12345678;
    medium.put(at + 0x24_B, little ? sum : __builtin_bswap32(sum), 4);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::ChunkedMedium medium(data, size);
    if (medium.asks_for(0)) put_journal_checksum(medium);
    const MediumReader reader = medium.reader();
    const auto volume = read_hfs_plus(reader, {}, medium.size());
    if (volume && medium.asks_for(1)) (void)listing_of(*volume, {});
    return 0;
}
