// SPDX-License-Identifier: GPL-3.0-or-later
/// The words that a process is started with, checked before a library sees them.
#pragma once

#include <cstddef>

#include "host/base/result.hpp"

namespace mediarig::process {

/// Of an argument or a variable, in bytes: the longest path of Linux, without its end (PATH_MAX).
inline constexpr std::size_t longest_word = 4095;

/// Every argument is UTF-8 and at most longest_word long. Fails with bad_request, with the beginning of the word.
[[nodiscard]] Result<void> check_arguments(int argc, const char* const* argv);
/// Every variable that mediarig reads (MEDIARIG_*, XDG_*, HOME, TMPDIR) is at most longest_word long. Fails with
/// bad_request.
[[nodiscard]] Result<void> check_environment();

} // namespace mediarig::process
