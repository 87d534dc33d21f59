// SPDX-License-Identifier: GPL-3.0-or-later
/// What suites of cells over a test file have in common.
#pragma once

#include <array>

#include "host/workload/suites/options.hpp"

namespace mediarig::suites {

inline constexpr std::array all_accesses{Access::sequential_write, Access::sequential_read, Access::random_write,
                                         Access::random_read};
inline constexpr std::array sequential_accesses{Access::sequential_write, Access::sequential_read};
inline constexpr std::array random_accesses{Access::random_write, Access::random_read};

/// Suite::kind_of of such a suite.
[[nodiscard]] Result<workload::JobKind> sweep_of(const Suite& suite, const SuiteRequest& request, Bytes available);
/// The span in whole `unit`s: what was asked for, else what the suite says, else what fits into half of the medium.
[[nodiscard]] Result<Bytes> span_for(const SuiteRequest& request, Bytes published, Bytes unit, Bytes available);

} // namespace mediarig::suites
