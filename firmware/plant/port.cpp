// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/port.hpp"

#include <algorithm>
#include <cmath>

namespace mediarig::plant {

namespace {
std::uint16_t rounded(double value) {
    return static_cast<std::uint16_t>(std::clamp(std::lround(value), 0L, 65'535L));
}
} // namespace

void PortModel::command(bool on, Nanoseconds at) {
    if (on == commanded_) return;
    rebase(at);
    commanded_ = on;
    if (!on) cut_off_ = false;
    const bool before = conducting_;
    if (fault_ != Fault::stuck_on && !(fault_ == Fault::welds && conducting_))
        conducting_ = on && fault_ != Fault::dead;
    if (conducting_ && !before) limiting_ = at;
}

void PortModel::load_card(bool present, Nanoseconds at) {
    if (present == card_) return;
    rebase(at);
    card_ = present;
}

void PortModel::break_by(Fault fault, Nanoseconds at) {
    rebase(at);
    fault_ = fault;
    if (fault == Fault::stuck_on && !conducting_) {
        conducting_ = true;
        limiting_ = at;
    }
    if (fault == Fault::dead) conducting_ = false;
    if (fault == Fault::cuts_off || fault == Fault::shorted) limiting_ = at;
}

void PortModel::add_current(std::uint16_t milliamperes, Nanoseconds at) {
    rebase(at);
    const bool before = limited();
    extra_ma_ = milliamperes;
    if (limited() && !before) limiting_ = at;
}

void PortModel::repair(Nanoseconds at) {
    rebase(at);
    fault_ = Fault::none;
    extra_ma_ = 0;
    const bool before = conducting_;
    conducting_ = commanded_ && !cut_off_;
    if (conducting_ && !before) limiting_ = at;
}

void PortModel::rebase(Nanoseconds at) {
    start_ = millivolts(at);
    since_ = at;
}

double PortModel::load_ma() const {
    return config_.reader_ma + (card_ ? config_.card_ma : 0) + extra_ma_;
}

double PortModel::target() const {
    if (!conducting_) return fault_ == Fault::back_fed ? config_.back_fed_mv : 0;
    if (fault_ == Fault::shorted) return 250; // residual voltage from the current on the wires
    if (limited()) return config_.supply_mv * config_.limit_ma / load_ma();
    return config_.supply_mv - load_ma() * config_.on_resistance_mohm / 1'000.0;
}

double PortModel::slope() const {
    // I = C dU/dt: mA / uF is mV/us.
    const double spare = std::max(config_.limit_ma - load_ma(), 1.0);
    return spare / config_.capacitance_uf / 1'000.0;
}

double PortModel::lag() const {
    return static_cast<double>(fault_ == Fault::slow ? config_.slow_discharge : config_.discharge);
}

double PortModel::millivolts(Nanoseconds at) const {
    const double goal = target();
    const auto elapsed = static_cast<double>(at - since_);
    if (rising()) return std::min(goal, start_ + slope() * elapsed);
    // A short circuit discharges the capacitor at once. If the switch is open, only the load discharges it.
    if (conducting_) return goal;
    if (start_ <= goal) return fault_ == Fault::back_fed ? goal : start_;
    return goal + (start_ - goal) * std::exp(-elapsed / lag());
}

Nanoseconds PortModel::charge_time() const {
    return since_ + static_cast<Nanoseconds>((target() - start_) / slope()) + 1;
}

firmware::PortSample PortModel::sample(Nanoseconds at) const {
    firmware::PortSample sample{.millivolts = rounded(millivolts(at)), .milliamperes = 0};
    if (!conducting_) return sample;
    if (limited())
        sample.milliamperes = config_.limit_ma;
    else if (rising() && at < charge_time())
        sample.milliamperes = config_.limit_ma;
    else
        sample.milliamperes = rounded(load_ma());
    return sample;
}

std::optional<Nanoseconds> PortModel::next_event(Nanoseconds now) const {
    std::optional<Nanoseconds> first;
    const auto consider = [&](Nanoseconds at) {
        at = std::max(at, now + 1);
        if (!first || at < *first) first = at;
    };
    if (conducting_ && !cut_off_ && commanded_) {
        if (limited() || fault_ == Fault::cuts_off) consider(limiting_ + config_.cuts_off_after);
    }
    if (!live_ && target() >= up_mv) {
        if (millivolts(now) >= up_mv)
            consider(now + 1);
        else if (rising())
            consider(since_ + static_cast<Nanoseconds>((up_mv - start_) / slope()) + 2);
    }
    if (live_ && target() < down_mv) {
        if (millivolts(now) < down_mv)
            consider(now + 1);
        else if (!conducting_) {
            const double goal = target();
            consider(since_ + static_cast<Nanoseconds>(lag() * std::log((start_ - goal) / (down_mv - goal))) + 1'000);
        }
    }
    return first;
}

PortModel::Change PortModel::settle(Nanoseconds at) {
    if (conducting_ && commanded_ && !cut_off_ && at >= limiting_ + config_.cuts_off_after &&
        (limited() || fault_ == Fault::cuts_off)) {
        rebase(at);
        cut_off_ = true;
        conducting_ = false;
    }
    const double now = millivolts(at);
    if (!live_ && now >= up_mv) {
        live_ = true;
        return Change::up;
    }
    if (live_ && now < down_mv) {
        live_ = false;
        return Change::down;
    }
    return Change::none;
}

void PortModel::add_to(StateHash& hash) const {
    hash.add(fault_);
    hash.add(extra_ma_);
    hash.add((commanded_ ? 1 : 0) | (conducting_ ? 2 : 0) | (cut_off_ ? 4 : 0) | (card_ ? 8 : 0) | (live_ ? 16 : 0));
    hash.add(start_);
    hash.add(since_);
    hash.add(limiting_);
}

} // namespace mediarig::plant
