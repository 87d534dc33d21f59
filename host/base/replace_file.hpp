// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig {

/// Writes a file of mediarig's own, whole or not at all: beside it under a new name, then renamed. Replaces a regular
/// file or a link (the link itself, never the file that it names). Fails with refused (a folder, a device, a pipe or
/// another user's file is there) and io_failed. Files that a user names: app::write_text.
[[nodiscard]] Result<void> replace_own_file(const std::filesystem::path& file, std::string_view content);

} // namespace mediarig
