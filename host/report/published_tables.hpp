// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "host/report/tables.hpp"

namespace mediarig::report {

/// What others published of the programs whose protocols were run, as it was printed; each says how it differs.
[[nodiscard]] std::vector<Table> published_tables_of(const Figures& figures);

} // namespace mediarig::report
