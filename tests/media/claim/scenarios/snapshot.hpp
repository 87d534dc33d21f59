// SPDX-License-Identifier: GPL-3.0-or-later
/// Content of a sparse file, and the bytes of it that have changed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/kernel.hpp"

namespace mediarig::claim_scenarios {

/// Blocks of 4096 bytes by index; blocks of zeros are omitted.
using Blocks = std::map<std::uint64_t, std::string>;
inline constexpr std::uint64_t block_size = 4096;

/// Reads the extents that contain data. `fd` may be O_PATH: the file is opened again for reading.
[[nodiscard]] Blocks read_blocks(int fd);
/// Ranges in multiples of 512 bytes, ascending; adjacent ranges are merged.
[[nodiscard]] std::vector<Range> difference(const Blocks& then, const Blocks& now);
/// Writes the blocks at `offset` of an open file and keeps holes.
void write_blocks(int fd, std::uint64_t offset, const Blocks& blocks);
/// Changes the blocks as truncation of the file to `size` does.
void cut(Blocks& blocks, std::uint64_t size);

} // namespace mediarig::claim_scenarios
