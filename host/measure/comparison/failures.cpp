// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/failures.hpp"

#include <algorithm>
#include <cmath>

namespace mediarig::measure::comparison {

double uneven_p(const Failures& failures) {
    const std::size_t all = failures.first_only + failures.second_only;
    const std::size_t more = std::max(failures.first_only, failures.second_only);
    double ways = 1, tail = 0; // ways to choose i of all
    for (std::size_t i = 0; i <= all; ++i) {
        if (i >= more) tail += ways;
        ways *= static_cast<double>(all - i) / static_cast<double>(i + 1);
    }
    return std::min(1.0, 2 * tail * std::pow(0.5, static_cast<double>(all)));
}

} // namespace mediarig::measure::comparison
