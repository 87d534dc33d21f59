// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/axis.hpp"

namespace mediarig::plant {

bool AxisModel::step(int direction, Nanoseconds at) {
    const Nanoseconds interval = at - last_step_;
    last_step_ = at;
    const std::int32_t next = position_ + direction;
    const bool too_fast = weak_above_ != 0 && (interval + 1) * weak_above_ < 1'000'000'000U;
    if (owed_ != 0 || too_fast || blocked(next)) {
        if (owed_ != 0) --owed_;
        return false;
    }
    position_ = next;
    ++made_;
    update_flag();
    return true;
}

bool AxisModel::blocked(std::int32_t next) const {
    if (next < config_.lowest || next > config_.highest) return true;
    return jam_ && next == *jam_;
}

void AxisModel::jam(std::int32_t position) {
    // A jam at the current position blocks the positive direction; the axis can still move back.
    jam_ = position == position_ ? position + 1 : position;
}

void AxisModel::push(std::int32_t steps) {
    for (; steps != 0; steps -= steps > 0 ? 1 : -1) {
        const std::int32_t next = position_ + (steps > 0 ? 1 : -1);
        if (blocked(next)) return;
        position_ = next;
        update_flag();
    }
}

void AxisModel::free() {
    jam_.reset();
}

std::int32_t AxisModel::edge() const {
    if (wander_ == 0) return 0;
    // Alternates, so that two approaches always differ by the requested amount.
    return approaches_ % 2 == 0 ? 0 : -wander_;
}

void AxisModel::update_flag() {
    const std::int32_t far_edge = edge() + (covered_ ? config_.flag_hysteresis : 0);
    const bool covered = position_ <= far_edge && position_ >= -config_.flag_width;
    if (covered_ && !covered) ++approaches_;
    covered_ = covered;
}

bool AxisModel::flag() const {
    switch (flag_fault_) {
        case Flag::covered:
            return true;
        case Flag::open:
            return false;
        case Flag::fine:
            break;
    }
    return covered_;
}

void AxisModel::add_to(StateHash& hash) const {
    hash.add(position_);
    hash.add(covered_);
    hash.add(approaches_);
    hash.add(flag_fault_);
    hash.add(wander_);
    hash.add(jam_.value_or(INT32_MIN));
    hash.add(weak_above_);
    hash.add(owed_);
    hash.add(made_);
    hash.add(last_step_);
}

} // namespace mediarig::plant
