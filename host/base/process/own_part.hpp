// SPDX-License-Identifier: GPL-3.0-or-later
/// Where mediarig's own parts are: programs that the running one starts, modules that are loaded for it.
#pragma once

#include <filesystem>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::process {

/// `name` beside the running program, as it is built, else in ../libexec/mediarig, as it is installed. Where it is in
/// neither, the place beside the program, for a message.
[[nodiscard]] std::filesystem::path own_part(std::string_view name);

/// A part that only the package mediarig-lab brings. `purpose` completes "which …". Fails with no_driver where there is
/// none.
[[nodiscard]] Result<std::filesystem::path> find_lab_part(std::string_view name, std::string_view purpose);

} // namespace mediarig::process
