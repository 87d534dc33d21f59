// SPDX-License-Identifier: GPL-3.0-or-later
/// Uses other programs of the user to print or open a page.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::app {

/// Converts a self-contained page into the bytes of a PDF file. Uses the first Chromium browser in $PATH, without a
/// window, in a temporary profile. If sudo or pkexec made this process root, the browser runs as the calling user; if
/// root called, the browser runs without its sandbox, which does not support root. Fails with no_driver (no browser),
/// io_failed (no PDF was made), timed_out, refused (see process::find_caller).
[[nodiscard]] Result<std::string> print_to_pdf(std::string_view html);

/// Opens a file in the desktop's default program; does not wait for that program. Fails with no_driver (no xdg-open),
/// io_failed (no program can open the file).
[[nodiscard]] Result<void> open_file(const std::filesystem::path& file);

} // namespace mediarig::app
