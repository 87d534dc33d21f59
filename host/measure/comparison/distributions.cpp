// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/distributions.hpp"

#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>

namespace mediarig::measure::comparison {

double t_critical(double level, double freedom) {
    // The lower tail: 1 - level / 2 has lost its digits where the level is small.
    return -boost::math::quantile(boost::math::students_t(freedom), level / 2);
}

double t_two_sided(double t, double freedom) {
    return 2 * boost::math::cdf(boost::math::students_t(freedom), -std::abs(t));
}

double f_beyond(double ratio, double above, double below) {
    return boost::math::cdf(boost::math::complement(boost::math::fisher_f(above, below), ratio));
}

double normal_cdf(double z) {
    return std::erfc(-z / std::numbers::sqrt2) / 2;
}

} // namespace mediarig::measure::comparison
