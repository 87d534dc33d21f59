// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks the arguments and environment variables of this process before a library reads them.
#pragma once

#include <cstddef>

#include "host/base/result.hpp"

namespace mediarig::process {

/// Limit of an argument or a variable in bytes: the longest path of Linux, without its NUL (PATH_MAX).
inline constexpr std::size_t longest_word = 4095;

/// Checks that every argument is UTF-8 and at most longest_word long. Fails with bad_request and quotes the beginning
/// of the argument.
[[nodiscard]] Result<void> check_arguments(int argc, const char* const* argv);
/// Checks that every variable that mediarig reads (MEDIARIG_*, XDG_*, HOME, TMPDIR) is at most longest_word long. Fails
/// with bad_request.
[[nodiscard]] Result<void> check_environment();

} // namespace mediarig::process
