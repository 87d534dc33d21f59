// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/vacuum.hpp"

#include <cmath>

namespace mediarig::plant {

void VacuumModel::set(const Conditions& conditions, Nanoseconds at) {
    if (conditions == conditions_) return;
    start_ = millivolts(at);
    since_ = at;
    conditions_ = conditions;
}

double VacuumModel::target() const {
    if (!conditions_.pump || conditions_.vent) return 0;
    return conditions_.sealed ? config_.sealed_mv : config_.open_mv;
}

double VacuumModel::lag() const {
    if (conditions_.vent) return static_cast<double>(config_.vent);
    if (!conditions_.pump && conditions_.sealed) return static_cast<double>(config_.leak);
    return static_cast<double>(config_.rise);
}

double VacuumModel::millivolts(Nanoseconds at) const {
    return target() + (start_ - target()) * std::exp(-static_cast<double>(at - since_) / lag());
}

std::optional<Nanoseconds> VacuumModel::crossing(double level) const {
    const double now = start_ - level, later = target() - level;
    if ((now < 0) == (later < 0) || now == 0 || later == 0) return {};
    return since_ + static_cast<Nanoseconds>(lag() * std::log((later - now) / later)) + 1'000;
}

void VacuumModel::add_to(StateHash& hash) const {
    hash.add(conditions_.pump);
    hash.add(conditions_.vent);
    hash.add(conditions_.sealed);
    hash.add(start_);
    hash.add(since_);
}

} // namespace mediarig::plant
