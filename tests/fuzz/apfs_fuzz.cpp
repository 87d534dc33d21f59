// SPDX-License-Identifier: GPL-3.0-or-later
/// Inspects chunks of any bytes as an APFS container. Switch 0 gives each block at the start of a chunk its checksum,
/// which a fuzzer cannot guess. Switch 1 lists the parameters as well.
#include "host/media/inspect/read_apfs.hpp"
#include "tests/fuzz/chunked_medium.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

constexpr Bytes block = 4_KiB;

void put_checksums(fuzz::ChunkedMedium& medium) {
    for (const Bytes at : medium.places()) {
        if (at % block != 0_B) continue;
        const auto bytes = medium.bytes(at, block);
        if (!bytes.empty()) medium.put(at, apfs_checksum(bytes), 8);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::ChunkedMedium medium(data, size);
    if (medium.asks_for(0)) put_checksums(medium);
    const MediumReader reader = medium.reader();
    const auto contents = read_apfs(reader, {}, medium.size());
    if (contents && medium.asks_for(1)) (void)listing_of(*contents, {});
    return 0;
}
