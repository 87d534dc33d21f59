// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds mediarig's other files: programs that the running one starts, modules that it loads.
#pragma once

#include <filesystem>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::process {

/// `name` next to the running program (build tree), else in ../libexec/mediarig (installed). If it is in neither, the
/// path next to the program, for a message.
[[nodiscard]] std::filesystem::path own_part(std::string_view name);

/// A file that only the package mediarig-lab contains. `purpose` completes "which …". Fails with no_driver if it is
/// missing.
[[nodiscard]] Result<std::filesystem::path> find_lab_part(std::string_view name, std::string_view purpose);

} // namespace mediarig::process
