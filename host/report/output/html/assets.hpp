// SPDX-License-Identifier: GPL-3.0-or-later
/// The files that a report carries inside itself; embedded when mediarig is built, so nothing is looked for at run
/// time.
#pragma once

#include <string>

namespace mediarig::report::html {

[[nodiscard]] std::string report_css();

} // namespace mediarig::report::html
