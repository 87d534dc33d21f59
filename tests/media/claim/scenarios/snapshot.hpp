// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents of a sparse file and its changed bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/kernel.hpp"

namespace mediarig::claim_scenarios {

/// Blocks of 4096 bytes by index, without zero blocks.
using Blocks = std::map<std::uint64_t, std::string>;
inline constexpr std::uint64_t block_size = 4096;

/// Reads the data extents. `fd` may be O_PATH: it is opened again for reading.
[[nodiscard]] Blocks read_blocks(int fd);
/// In steps of 512 bytes, ascending, adjacent ranges merged.
[[nodiscard]] std::vector<Range> difference(const Blocks& then, const Blocks& now);
/// Writes the blocks at `offset` of an open file and keeps holes.
void write_blocks(int fd, std::uint64_t offset, const Blocks& blocks);
/// Truncates the blocks to `size`.
void cut(Blocks& blocks, std::uint64_t size);

} // namespace mediarig::claim_scenarios
