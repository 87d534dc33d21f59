// SPDX-License-Identifier: GPL-3.0-or-later
/// How Xbench 1.3 turns rates into scores: a part's score is 100 * rate / reference; that of a section is the harmonic
/// mean of its four parts', that of the disk the harmonic mean of all eight.
#pragma once

#include <array>
#include <string_view>

#include "host/workload/spec.hpp"

namespace mediarig::suites {

struct XbenchPart {
    std::string_view label; ///< "sequential write 4K"
    workload::Access access;
    Bytes block;
    double reference; ///< MB/s of score 100: inferred from four published tables, not the vendor's constant
};
inline constexpr std::array xbench_parts{
    XbenchPart{"sequential write 4K", workload::Access::sequential_write, 4_KiB, 61.399},
    XbenchPart{"sequential write 256K", workload::Access::sequential_write, 256_KiB, 56.576},
    XbenchPart{"sequential read 4K", workload::Access::sequential_read, 4_KiB, 29.265},
    XbenchPart{"sequential read 256K", workload::Access::sequential_read, 256_KiB, 50.259},
    XbenchPart{"random write 4K", workload::Access::random_write, 4_KiB, 10.588},
    XbenchPart{"random write 256K", workload::Access::random_write, 256_KiB, 32.015},
    XbenchPart{"random read 4K", workload::Access::random_read, 4_KiB, 0.70856},
    XbenchPart{"random read 256K", workload::Access::random_read, 256_KiB, 18.5554},
};

} // namespace mediarig::suites
