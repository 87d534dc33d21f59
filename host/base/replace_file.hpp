// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig {

/// Writes a file that mediarig owns, completely or not at all: writes to a new name in the same folder, then renames
/// the new file. Replaces a regular file or a link (the link, never its target). Fails with refused (the path is a
/// folder, a device, a pipe or a file of another user) and io_failed. For files that a user names, use app::write_text.
[[nodiscard]] Result<void> replace_own_file(const std::filesystem::path& file, std::string_view content);

/// Renames `from` to `to` unless `to` exists. Atomic, except on a file system with neither RENAME_NOREPLACE nor hard
/// links. Returns 0 or an errno; EEXIST if `to` exists.
[[nodiscard]] int rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace mediarig
