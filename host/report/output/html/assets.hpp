// SPDX-License-Identifier: GPL-3.0-or-later
/// Files that a report contains, embedded at build time, so that no file is needed at run time.
#pragma once

#include <string>

namespace mediarig::report::html {

[[nodiscard]] std::string report_css();

} // namespace mediarig::report::html
