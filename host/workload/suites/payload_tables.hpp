// SPDX-License-Identifier: GPL-3.0-or-later
/// The data of the suite payloads, one table each.
#pragma once

#include <array>
#include <string_view>

#include "host/workload/spec.hpp"

namespace mediarig::suites {

struct PayloadTable {
    std::string_view table, title;
    workload::PayloadKind kind{};
};
inline constexpr std::array payload_tables{
    PayloadTable{"zeros", "zeros", workload::PayloadKind::zeros},
    PayloadTable{"ones", "ones", workload::PayloadKind::ones},
    PayloadTable{"compressible", "compressible data", workload::PayloadKind::compressible},
    PayloadTable{"noise", "noise", workload::PayloadKind::incompressible},
    PayloadTable{"repeated", "repeated blocks", workload::PayloadKind::repeated},
};
/// The table with which the others are compared.
inline constexpr std::string_view reference_payload = "noise";

} // namespace mediarig::suites
