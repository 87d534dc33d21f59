// SPDX-License-Identifier: GPL-3.0-or-later
/// FAT12, FAT16 and FAT32: any bytes as a volume. A second round gets what marks a boot sector right.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/media/inspect/places.hpp"
#include "tests/fuzz/memory_medium.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

void read(Raw bytes) {
    const Bytes size{bytes.size()};
    const auto volume = read_fat({fuzz::medium_with(bytes), size}, {}, size);
    if (volume && places_of(*volume, {}).size() != parameters_of(*volume).size()) std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::byte> volume(size);
    for (std::size_t i = 0; i < size; ++i) volume[i] = static_cast<std::byte>(data[i]);
    read(volume);
    if (size < 512) return 0;
    volume[0] = std::byte{0xEB};
    volume[0x0B] = std::byte{0x00};
    volume[0x0C] = std::byte{0x02};
    volume[0x15] = std::byte{0xF8};
    volume[510] = std::byte{0x55};
    volume[511] = std::byte{0xAA};
    read(volume);
    return 0;
}
