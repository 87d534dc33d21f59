// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents of a sparse file and its changed bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/kernel.hpp"

namespace mediarig::claim_scenarios {

/// Blocks of 4096 bytes by their index; one of zeros is left out.
using Blocks = std::map<std::uint64_t, std::string>;
inline constexpr std::uint64_t block_size = 4096;

/// Reads the extents that hold data. `fd` may be of O_PATH: it is opened again, for the time of reading.
[[nodiscard]] Blocks read_blocks(int fd);
/// In steps of 512 bytes, ascending, neighbours merged.
[[nodiscard]] std::vector<Range> difference(const Blocks& then, const Blocks& now);
/// Writes the blocks at `offset` of an open file; holes stay holes.
void write_blocks(int fd, std::uint64_t offset, const Blocks& blocks);
/// What becomes of the blocks when the file is cut to `size`.
void cut(Blocks& blocks, std::uint64_t size);

} // namespace mediarig::claim_scenarios
