// SPDX-License-Identifier: GPL-3.0-or-later
/// exFAT: any bytes as a volume. A second round gets the boot checksum right, which no fuzzer would guess.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/media/inspect/read_exfat.hpp"
#include "tests/fuzz/memory_medium.hpp"

using namespace mediarig;
using namespace mediarig::media;

namespace {

void read(Raw bytes) {
    const Bytes size{bytes.size()};
    const auto volume = read_exfat({fuzz::medium_with(bytes), size}, {}, size);
    if (volume) (void)parameters_of(*volume);
}

void put_checksum(std::vector<std::byte>& volume) {
    constexpr std::size_t sector = 512;
    const std::uint32_t sum = exfat_boot_checksum(Raw(volume).first(11 * sector));
    for (std::size_t i = 0; i < sector; ++i)
        volume[11 * sector + i] = static_cast<std::byte>(sum >> (8 * (i % 4)) & 0xFF);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::vector<std::byte> volume(size);
    for (std::size_t i = 0; i < size; ++i) volume[i] = static_cast<std::byte>(data[i]);
    read(volume);
    (void)exfat_oem_parameters(volume);
    if (size < 12 * 512) return 0;
    put_checksum(volume);
    read(volume);
    if (const auto boot = parse_exfat_boot(volume)) (void)parse_exfat_root(Raw(volume).subspan(512), *boot);
    return 0;
}
