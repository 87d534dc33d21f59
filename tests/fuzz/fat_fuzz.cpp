// SPDX-License-Identifier: GPL-3.0-or-later
/// Inspects chunks of any bytes as a volume of FAT12, FAT16 or FAT32. Switch 0 corrects the signature of the boot
/// sector. Switch 1 lists the parameters as well.
#include "host/media/inspect/read_fat.hpp"
#include "tests/fuzz/chunked_medium.hpp"

using namespace mediarig;
using namespace mediarig::media;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::ChunkedMedium medium(data, size);
    if (medium.asks_for(0)) {
        medium.put({}, 0xEB, 1);
        medium.put(0x15_B, 0xF8, 1);
        medium.put(510_B, 0xAA55, 2);
    }
    const MediumReader reader = medium.reader();
    const auto volume = read_fat(reader, {}, medium.size());
    if (volume && medium.asks_for(1)) (void)listing_of(*volume, {});
    return 0;
}
