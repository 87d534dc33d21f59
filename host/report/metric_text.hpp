// SPDX-License-Identifier: GPL-3.0-or-later
/// Metrics and limits in people's words. Pure.
#pragma once

#include <string>
#include <string_view>

#include "host/measure/verdict.hpp"
#include "host/suites/suite.hpp"

namespace mediarig::report {

/// "MB/s", "ops/s", "s", "µs".
[[nodiscard]] std::string_view unit_of(suites::Value value);

/// What a limit asked for and what was measured, without a full stop: "writes 4.4 MB/s in blocks of 1024 KB under
/// exFAT, at least 6 wanted"; "p99 of random read under exFAT is 21.3 ms, at most 20.0 ms wanted". Not escaped.
[[nodiscard]] std::string limit_text(const measure::LimitResult& result);

} // namespace mediarig::report
