// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/flash.hpp"

#include <algorithm>
#include <cmath>

#include "host/lab/card/random.hpp"

namespace mediarig::lab {

void SlcState::rest(std::chrono::nanoseconds idle) {
    const auto recovering = idle - cache_.recovery_after_idle;
    if (recovering.count() <= 0) return;
    const double emptied = cache_.recovery_rate.bytes_per_second * static_cast<double>(recovering.count()) / 1e9;
    filled_ = std::max(0.0, filled_ - emptied);
}

Bytes SlcState::free_space() const {
    const double free_space = static_cast<double>(cache_.size.count) - filled_;
    return {free_space > 0 ? static_cast<std::uint64_t>(free_space) : 0};
}

void SlcState::fill(Bytes written) {
    // Data that bypasses the cache does not fill it.
    filled_ = std::min(static_cast<double>(cache_.size.count), filled_ + static_cast<double>(written.count));
}

CollectionState::CollectionState(const GarbageCollection& collection, std::uint64_t start_value)
    : collection_(collection),
      draws_(sequence(start_value, Purpose::collection)),
      until_next_(varied(static_cast<double>(collection.every.count))) {}

double CollectionState::varied(double value) {
    const double around = 2 * fraction(draws_) - 1; // -1 … 1
    return value * (1 + around * collection_.jitter_percent / 100);
}

std::chrono::nanoseconds CollectionState::write(Bytes written) {
    until_next_ -= static_cast<double>(written.count);
    if (until_next_ > 0) return {};
    // At most one stall per write, even if a large write covers several intervals: the medium collects as much as it
    // needs at once.
    const auto every = static_cast<double>(collection_.every.count);
    until_next_ = std::max(1.0, std::fmod(until_next_, every) + varied(every));
    return std::chrono::nanoseconds(std::llround(varied(static_cast<double>(collection_.stall.count()))));
}

std::uint64_t EraseUnitState::write(std::uint64_t offset, Bytes size) {
    std::uint64_t copies = 0;
    const std::uint64_t end = offset + size.count;
    while (offset < end) {
        const std::uint64_t index = offset / unit_.size.count;
        const std::uint64_t to = std::min(end, (index + 1) * unit_.size.count);
        copies += write_in_unit(index, offset, to);
        offset = to;
    }
    return copies;
}

std::uint64_t EraseUnitState::write_in_unit(std::uint64_t index, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t begin = index * unit_.size.count;
    std::uint64_t copies = 0;
    const auto same = std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.index == index; });
    const bool goes_on = same != open_.end() && same->filled_to == from;
    if (same != open_.end()) {
        // The write does not continue the open unit: the data in the unit so far is copied.
        if (!goes_on) ++copies;
        open_.erase(same);
    }
    if (!goes_on && from != begin && copies == 0) ++copies;
    if (to == begin + unit_.size.count) return copies;
    if (open_.size() == unit_.open_units) {
        open_.pop_front(); // the unit is closed before it is full
        ++copies;
    }
    open_.push_back({index, to});
    return copies;
}

std::uint64_t ProgramUnitState::write(std::uint64_t offset, Bytes size, bool goes_on) {
    std::uint64_t partial = goes_on ? 0 : settle();
    const std::uint64_t unit = unit_.size.count;
    const std::uint64_t end = offset + size.count;
    while (offset < end) {
        const std::uint64_t in_unit = (offset + unit - unit_.first.count) % unit;
        const bool from_its_start = open_ ? from_its_start_ : in_unit == 0;
        const std::uint64_t unit_end = offset + unit - in_unit;
        open_ = end < unit_end;
        from_its_start_ = from_its_start;
        if (!open_ && !from_its_start) ++partial;
        offset = std::min(end, unit_end);
    }
    return partial;
}

std::uint64_t ProgramUnitState::settle() {
    const bool unfilled = open_;
    open_ = false;
    return unfilled ? 1 : 0;
}

} // namespace mediarig::lab
