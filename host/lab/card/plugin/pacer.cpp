// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/plugin/pacer.hpp"

#include <algorithm>
#include <utility>

namespace mediarig::lab {
namespace {

using namespace std::chrono_literals;

/// Maximum credit. A machine that was late by more than a scheduling hiccup must not catch up with an impossibly fast
/// medium.
constexpr Pacer::Time most_credit = 50ms;

Pacer::Time scaled(Pacer::Time time, double by) {
    return Pacer::Time(static_cast<Pacer::Time::rep>(static_cast<double>(time.count()) * by));
}

} // namespace

Pacer::Pacer(double time_scale, std::function<Time()> clock, std::function<void(Time)> sleep, Time shortest_sleep)
    : time_scale_(time_scale),
      clock_(std::move(clock)),
      sleep_(std::move(sleep)),
      shortest_sleep_(shortest_sleep),
      started_(clock_()) {}

Pacer::Time Pacer::arrive() {
    if (time_scale_ == 0) return Time(0);
    arrived_ = clock_();
    return scaled(arrived_ - started_, 1 / time_scale_);
}

void Pacer::leave(Time took) {
    if (time_scale_ == 0) return;
    debt_ += scaled(took, time_scale_) - (clock_() - arrived_);
    if (debt_ >= shortest_sleep_) {
        const Time before = clock_();
        sleep_(debt_);
        debt_ -= clock_() - before;
    }
    debt_ = std::max(debt_, -most_credit);
}

} // namespace mediarig::lab
