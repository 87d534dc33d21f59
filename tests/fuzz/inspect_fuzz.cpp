// SPDX-License-Identifier: GPL-3.0-or-later
/// Calls inspect() for chunks of any bytes as a medium of any format. Switch 0 corrects a GPT's checksums, switch 2 has
/// sectors of 4096 bytes.
#include "host/media/inspect/inspect.hpp"
#include "tests/fuzz/gpt_checksums.hpp"

using namespace mediarig;
using namespace mediarig::media;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::ChunkedMedium medium(data, size);
    const Bytes sector = medium.asks_for(2) ? 4_KiB : 512_B;
    if (medium.asks_for(0)) fuzz::put_gpt_checksums(medium, sector);
    (void)inspect(medium.reader(), static_cast<std::uint32_t>(sector.count));
    return 0;
}
