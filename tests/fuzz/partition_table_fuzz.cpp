// SPDX-License-Identifier: GPL-3.0-or-later
/// Inspects chunks of any bytes as a medium with an MBR and logical partitions, with both copies of a GPT, or with an
/// Apple partition map. Switch 0 corrects the GPT's checksums, switch 2 has sectors of 4096 bytes.
#include "host/media/inspect/read_table.hpp"
#include "tests/fuzz/gpt_checksums.hpp"

using namespace mediarig;
using namespace mediarig::media;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::ChunkedMedium medium(data, size);
    const Bytes sector = medium.asks_for(2) ? 4_KiB : 512_B;
    if (medium.asks_for(0)) fuzz::put_gpt_checksums(medium, sector);
    if (medium.size() < 4_KiB) return 0;
    const MediumReader reader = medium.reader();
    (void)partition_spans(reader, sector);
    (void)read_partition_table(reader, sector);
    return 0;
}
