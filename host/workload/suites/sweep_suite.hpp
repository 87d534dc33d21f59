// SPDX-License-Identifier: GPL-3.0-or-later
/// Common code of suites that consist of cells on a test file.
#pragma once

#include <array>

#include "host/workload/suites/options.hpp"

namespace mediarig::suites {

inline constexpr std::array all_accesses{Access::sequential_write, Access::sequential_read, Access::random_write,
                                         Access::random_read};
inline constexpr std::array sequential_accesses{Access::sequential_write, Access::sequential_read};
inline constexpr std::array random_accesses{Access::random_write, Access::random_read};

/// Implements Suite::kind_of for a suite that consists of cells on a test file.
[[nodiscard]] Result<workload::JobKind> sweep_of(const Suite& suite, const SuiteRequest& request, Bytes available);
/// Returns the span in whole `unit`s: the requested span, else the span of the suite, else the largest span that fits
/// into half of the medium.
[[nodiscard]] Result<Bytes> span_for(const SuiteRequest& request, Bytes published, Bytes unit, Bytes available);

} // namespace mediarig::suites
