// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/recorder.hpp"

#include <algorithm>
#include <utility>

namespace mediarig::workload {

Recorder::Recorder(const TickClock& clock, Bytes block, RawLog raw_log, std::uint64_t expected)
    : clock_(clock), block_(block), second_length_(clock.from_ns(std::chrono::seconds(1))) {
    if (raw_log == RawLog::on) raw_log_.resize(std::min(expected, longest_raw_log));
    raw_next_ = raw_log_.data();
    raw_end_ = raw_log_.data() + raw_log_.size();
}

void Recorder::begin(Ticks now) {
    begin_ = now;
    second_start_ = now;
    second_end_ = now + second_length_;
}

void Recorder::resume(Ticks now) {
    const Ticks pause = now - paused_at_;
    paused_ += pause;
    second_start_ += pause;
    second_end_ += pause;
}

void Recorder::push_second(Ticks length, Bytes moved_by_now) {
    series_.push_back({.length = std::chrono::nanoseconds(clock_.to_ns(length)),
                       .moved = moved_by_now - moved_before_,
                       .operations = operations_ - operations_before_,
                       .worst = std::chrono::nanoseconds(clock_.to_ns(worst_))});
    operations_before_ = operations_;
    moved_before_ = moved_by_now;
    worst_ = 0;
}

void Recorder::close_seconds(Ticks start, Ticks finish) {
    // A transfer longer than a second leaves seconds without completions. These empty seconds are part of the series.
    while (finish > second_end_) {
        Bytes under_way;
        if (start < second_end_)
            under_way = Bytes{static_cast<std::uint64_t>(static_cast<double>(block_.count) *
                                                         static_cast<double>(second_end_ - start) /
                                                         static_cast<double>(finish - start))};
        // If transfers overlap, an earlier one may have been counted with more bytes than it had moved by then.
        push_second(second_length_, std::max(moved() + under_way, moved_before_));
        second_start_ = second_end_;
        second_end_ += second_length_;
    }
}

void Recorder::deliver(CellResult& result) && {
    close_seconds(paused_at_, paused_at_);
    if (paused_at_ > second_start_) push_second(paused_at_ - second_start_, std::max(moved(), moved_before_));
    result.moved = moved();
    result.operations = operations_;
    result.elapsed = std::chrono::nanoseconds(clock_.to_ns(paused_at_ - begin_ - paused_));
    result.prepare_time = std::chrono::nanoseconds(clock_.to_ns(paused_ - rested_ + prepared_));
    result.sync_time = std::chrono::nanoseconds(clock_.to_ns(sync_));
    result.latency = latency_.histogram();
    result.series = std::move(series_);
    raw_log_.resize(static_cast<std::size_t>(raw_next_ - raw_log_.data()));
    result.raw_log = std::move(raw_log_);
}

} // namespace mediarig::workload
