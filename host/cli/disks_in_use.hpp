// SPDX-License-Identifier: GPL-3.0-or-later
/// Which of this machine's disks must keep their power.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/result.hpp"

namespace mediarig::cli {

/// For a disk ("sdb"): why it is in use, nothing where it is not. One that cannot be judged is in use.
[[nodiscard]] Result<std::function<std::optional<std::string>(const std::string& disk)>> disks_in_use();

} // namespace mediarig::cli
