// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts the linker's flat binary to the file that a user copies to a Pico.
///
/// The boot ROM starts flash only if the first 252 bytes are followed by their correct checksum. It erases whole
/// sectors of 4 KiB, and takes its data in blocks of 512 bytes, each with its own address (UF2,
/// github.com/microsoft/uf2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::uf2 {

inline constexpr std::uint32_t flash_start = 0x10000000;
inline constexpr std::size_t flash_size = 2 * 1024 * 1024; ///< flash of a Pico
inline constexpr std::size_t sector_size = 4096;
inline constexpr std::size_t stage_size = 252; ///< second boot stage, without its checksum
inline constexpr std::uint32_t family_rp2040 = 0xE48BFF56;

/// CRC-32/MPEG-2: polynomial 0x04C11DB7, initial value all ones, not reflected, no final inversion. Check value for
/// "123456789": 0x0376E6E7. (The link's frames use another CRC-32.)
[[nodiscard]] std::uint32_t crc32_mpeg2(std::span<const std::uint8_t> bytes);

/// Inserts the checksum after the second boot stage and pads to whole sectors with 0xFF. Fails with bad_format if the
/// binary has no space for the checksum, no data after it, or is larger than flash.
[[nodiscard]] Result<std::vector<std::uint8_t>> seal(std::vector<std::uint8_t> binary);

/// Returns blocks of 256 bytes from flash_start on. `image` is a multiple of 256 bytes, as returned by `seal`.
[[nodiscard]] std::vector<std::uint8_t> to_blocks(std::span<const std::uint8_t> image);

} // namespace mediarig::uf2
