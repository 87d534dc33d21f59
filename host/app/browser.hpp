// SPDX-License-Identifier: GPL-3.0-or-later
/// What other programs of the user do with a page: print it, and show it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::app {

/// The page, which needs nothing else, as the bytes of a PDF file: printed by the first browser of the Chromium family
/// in $PATH, without a window, in a profile of its own that is removed afterwards. Where sudo or pkexec made this
/// process root, the browser runs as the user who called; where root himself did, without its own sandbox, which it
/// refuses to root. Fails with no_driver (there is none), io_failed (it made no PDF), timed_out, refused (see
/// process::find_caller).
[[nodiscard]] Result<std::string> print_to_pdf(std::string_view html);

/// Shows a file with whatever the desktop opens it with. Does not wait for it to be closed. Fails with no_driver (no
/// xdg-open), io_failed (nothing opens it).
[[nodiscard]] Result<void> open_file(const std::filesystem::path& file);

} // namespace mediarig::app
