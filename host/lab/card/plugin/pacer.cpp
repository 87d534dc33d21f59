// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/plugin/pacer.hpp"

#include <algorithm>
#include <utility>

namespace mediarig::lab {
namespace {

using namespace std::chrono_literals;

/// A sleep is about this much too long, whatever was asked for: not worth it for less.
constexpr Pacer::Time shortest_sleep = 60us;
/// A machine that fell behind for longer than a scheduling hiccup does not make up for it with an impossibly fast
/// medium.
constexpr Pacer::Time most_credit = 50ms;

Pacer::Time scaled(Pacer::Time time, double by) {
    return Pacer::Time(static_cast<Pacer::Time::rep>(static_cast<double>(time.count()) * by));
}

} // namespace

Pacer::Pacer(double time_scale, std::function<Time()> clock, std::function<void(Time)> sleep)
    : time_scale_(time_scale), clock_(std::move(clock)), sleep_(std::move(sleep)), started_(clock_()) {}

Pacer::Time Pacer::arrive() {
    if (time_scale_ == 0) return Time(0);
    arrived_ = clock_();
    return scaled(arrived_ - started_, 1 / time_scale_);
}

void Pacer::leave(Time took) {
    if (time_scale_ == 0) return;
    debt_ += scaled(took, time_scale_) - (clock_() - arrived_);
    if (debt_ >= shortest_sleep) {
        const Time before = clock_();
        sleep_(debt_);
        debt_ -= clock_() - before;
    }
    debt_ = std::max(debt_, -most_credit);
}

} // namespace mediarig::lab
