// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds other files of mediarig: programs that the running program starts, and modules that it loads.
#pragma once

#include <filesystem>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::process {

/// The path of the file `name` next to the running program (build tree), else in ../libexec/mediarig (installed). If
/// neither file exists, returns the path next to the program, for a message.
[[nodiscard]] std::filesystem::path own_part(std::string_view name);

/// Finds a file that only the package mediarig-lab contains. `purpose` completes "which …". Fails with no_driver if the
/// file is missing.
[[nodiscard]] Result<std::filesystem::path> find_lab_part(std::string_view name, std::string_view purpose);

} // namespace mediarig::process
