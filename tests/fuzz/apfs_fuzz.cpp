// SPDX-License-Identifier: GPL-3.0-or-later
/// APFS: any bytes as a container. A second round gives each block its checksum, which no fuzzer would guess.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/media/inspect/read_apfs.hpp"
#include "tests/fuzz/memory_medium.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

constexpr std::size_t block = 4096;

void read(Raw bytes) {
    const Bytes size{bytes.size()};
    const auto contents = read_apfs({fuzz::medium_with(bytes), size}, {}, size);
    if (contents) (void)parameters_of(*contents);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // Whole blocks, so that the last one has a checksum as well.
    std::vector<std::byte> container((size + block - 1) / block * block);
    for (std::size_t i = 0; i < size; ++i) container[i] = static_cast<std::byte>(data[i]);
    read(Raw(container).first(size));
    for (std::size_t at = 0; at < container.size(); at += block) {
        const std::uint64_t sum = apfs_checksum(Raw(container).subspan(at, block));
        for (std::size_t i = 0; i < 8; ++i) container[at + i] = static_cast<std::byte>(sum >> (8 * i) & 0xFF);
    }
    read(container);
    for (std::size_t at = 0; at < container.size(); at += block) {
        const Raw one = Raw(container).subspan(at, block);
        (void)parse_apfs_checkpoint_map(one);
        (void)parse_apfs_space(one);
        (void)parse_apfs_volume(one);
        (void)step_in_apfs_object_map(one, 0x402, 1);
    }
    return 0;
}
