// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace mediarig::report {

/// As RFC 4180 wants it: in quotes where it needs them.
[[nodiscard]] std::string csv_field(const std::string& text);

} // namespace mediarig::report
