// SPDX-License-Identifier: GPL-3.0-or-later
/// Inspects chunks of any bytes as an exFAT volume. Switch 0 corrects the boot checksum, which a fuzzer cannot guess.
/// Switch 1 lists the parameters as well.
#include "host/media/inspect/read_exfat.hpp"
#include "tests/fuzz/chunked_medium.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

void put_checksum(fuzz::ChunkedMedium& medium) {
    const auto boot = medium.bytes({}, 512_B);
    if (boot.empty()) return;
    const unsigned shift = std::clamp(std::to_integer<unsigned>(boot[108]), 9u, 12u);
    const Bytes sector{1ULL << shift};
    const auto region = medium.bytes({}, sector * 11);
    if (region.empty()) return;
    const std::uint32_t sum = exfat_boot_checksum(region);
    std::vector<std::byte> repeated(sector.count);
    for (std::size_t i = 0; i < repeated.size(); ++i) repeated[i] = static_cast<std::byte>(sum >> (8 * (i % 4)) & 0xFF);
    medium.put(sector * 11, std::move(repeated));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::ChunkedMedium medium(data, size);
    if (medium.asks_for(0)) put_checksum(medium);
    const MediumReader reader = medium.reader();
    const auto volume = read_exfat(reader, {}, medium.size());
    if (volume && medium.asks_for(1)) (void)listing_of(*volume, {});
    return 0;
}
