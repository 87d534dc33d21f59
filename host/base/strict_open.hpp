// SPDX-License-Identifier: GPL-3.0-or-later
/// Opens paths without following links, by openat2(2).
#pragma once

#include <cstdint>
#include <string>

namespace mediarig {

/// Calls openat2(2) with these RESOLVE_ flags. Without kernel support it calls openat(2) with O_NOFOLLOW for the last
/// component. Negative with errno set on failure.
[[nodiscard]] int open_strictly(int directory, const char* path, int flags, std::uint64_t resolve);

/// Opens a folder below `parent` that is on the same file system, through no link. Negative with errno set on failure.
[[nodiscard]] int open_beneath(int parent, const std::string& path);

} // namespace mediarig
