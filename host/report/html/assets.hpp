// SPDX-License-Identifier: GPL-3.0-or-later
/// The files that a report carries inside itself; embedded when mediarig is built, so nothing is looked for at run
/// time.
#pragma once

#include <string>

namespace mediarig::report::html {

[[nodiscard]] std::string report_css();
[[nodiscard]] std::string report_js();
/// Chart.js, MIT licence: its notice stands in chart_licence.txt and goes into each report.
[[nodiscard]] std::string chart_js();
[[nodiscard]] std::string chart_licence();

} // namespace mediarig::report::html
