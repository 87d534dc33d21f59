// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/tools/uf2/uf2.hpp"

#include <algorithm>
#include <cassert>
#include <string>

namespace mediarig::uf2 {
namespace {

constexpr std::size_t page_size = 256, block_size = 512, data_offset = 32, end_magic_offset = 508;
constexpr std::uint32_t first_magic = 0x0A324655, second_magic = 0x9E5D5157, end_magic = 0x0AB16F30;
constexpr std::uint32_t flag_family = 0x2000;

void store(std::span<std::uint8_t> bytes, std::size_t offset, std::uint32_t word) {
    for (std::size_t i = 0; i < 4; ++i) bytes[offset + i] = static_cast<std::uint8_t>(word >> (8 * i));
}

} // namespace

std::uint32_t crc32_mpeg2(std::span<const std::uint8_t> bytes) {
    std::uint32_t crc = 0xFFFFFFFF;
    for (const std::uint8_t byte : bytes) {
        crc ^= std::uint32_t{byte} << 24;
        for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc & 0x80000000) != 0 ? 0x04C11DB7 : 0);
    }
    return crc;
}

Result<std::vector<std::uint8_t>> seal(std::vector<std::uint8_t> binary) {
    if (binary.size() <= page_size)
        return fail(Errc::bad_format, "the binary ends with the second boot stage: it contains no program to start");
    if (binary.size() > flash_size)
        return fail(Errc::bad_format, "the binary has " + std::to_string(binary.size()) + " bytes, flash has " +
                                          std::to_string(flash_size));
    const auto check = std::span(binary).subspan(stage_size, 4);
    if (!std::ranges::all_of(check, [](std::uint8_t byte) { return byte == 0; }))
        return fail(Errc::bad_format,
                    "bytes 252 to 255 are in use: the second boot stage is too long, or the file was sealed already");
    store(binary, stage_size, crc32_mpeg2(std::span(binary).first(stage_size)));
    binary.resize((binary.size() + sector_size - 1) / sector_size * sector_size, 0xFF);
    return binary;
}

std::vector<std::uint8_t> to_blocks(std::span<const std::uint8_t> image) {
    assert(image.size() % page_size == 0);
    const auto count = static_cast<std::uint32_t>(image.size() / page_size);
    std::vector<std::uint8_t> file(count * block_size);
    for (std::uint32_t n = 0; n < count; ++n) {
        const auto block = std::span(file).subspan(n * block_size, block_size);
        store(block, 0, first_magic);
        store(block, 4, second_magic);
        store(block, 8, flag_family);
        store(block, 12, flash_start + n * static_cast<std::uint32_t>(page_size));
        store(block, 16, page_size);
        store(block, 20, n);
        store(block, 24, count);
        store(block, 28, family_rp2040);
        std::ranges::copy(image.subspan(n * page_size, page_size), block.subspan(data_offset).begin());
        store(block, end_magic_offset, end_magic);
    }
    return file;
}

} // namespace mediarig::uf2
