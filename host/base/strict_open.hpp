// SPDX-License-Identifier: GPL-3.0-or-later
/// Opening without following anything, by openat2(2).
#pragma once

#include <cstdint>
#include <string>

namespace mediarig {

/// openat2(2) with these RESOLVE_ flags; openat(2), which follows no link at the end, where the kernel has none.
/// Negative with errno on failure.
[[nodiscard]] int open_strictly(int directory, const char* path, int flags, std::uint64_t resolve);

/// A folder below `parent`, on its file system and through no link. Negative with errno on failure.
[[nodiscard]] int open_beneath(int parent, const std::string& path);

} // namespace mediarig
