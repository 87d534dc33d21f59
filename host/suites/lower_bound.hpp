// SPDX-License-Identifier: GPL-3.0-or-later
/// Which figures of a suite its original does not print as measured.
#pragma once

#include <chrono>
#include <string_view>

namespace mediarig::suites {

/// What took less is a lower bound at most, as Bonnie++ has it; 0 for suites that know none.
[[nodiscard]] std::chrono::nanoseconds least_time_of(std::string_view suite);

} // namespace mediarig::suites
