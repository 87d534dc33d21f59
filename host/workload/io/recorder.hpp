// SPDX-License-Identifier: GPL-3.0-or-later
/// Records everything about one running cell: histogram, per-second series, raw log, elapsed time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/measure/histogram.hpp"
#include "host/workload/io/platform/clock.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

/// The clock of a cell starts with begin() and is stopped between pause() and resume().
class Recorder {
public:
    enum class RawLog : std::uint8_t { off, on };
    static constexpr std::uint64_t longest_raw_log = std::uint64_t{1}
                                                     << 26; ///< 256 MiB; later operations are not recorded in it

    /// `expected`: the number of operations; memory for the raw log is allocated before the clock starts.
    Recorder(const TickClock& clock, Bytes block, RawLog raw_log, std::uint64_t expected);

    [[nodiscard]] const TickClock& clock() const { return clock_; }
    [[nodiscard]] std::chrono::nanoseconds length_of(Ticks ticks) const {
        return std::chrono::nanoseconds(static_cast<std::int64_t>(clock_.to_ns(ticks)));
    }

    void begin(Ticks now);
    void pause(Ticks now) { paused_at_ = now; }
    void resume(Ticks now);
    /// Like resume(), after a pause without any work: the paused time counts as rest.
    void resume_rested(Ticks now) {
        rested_ += now - paused_at_;
        resume(now);
    }
    void add_sync(Ticks length) { sync_ += length; }
    /// Adds time in which payload was prepared while the clock ran and the medium worked on transfers in flight.
    void add_prepared(Ticks length) { prepared_ += length; }

    /// Records a whole block that was transferred between the two instants. End instants must not decrease.
    void completed(Ticks start, Ticks finish) {
        if (finish > second_end_) [[unlikely]]
            close_seconds(start, finish);
        const Ticks length = finish - start;
        const std::uint64_t ns = clock_.to_ns(length);
        latency_.record(ns);
        if (length > worst_) worst_ = length;
        ++operations_;
        if (raw_next_ != raw_end_) *raw_next_++ = saturated(ns);
    }
    /// Records consecutive transfers: each starts at the end of the previous one.
    void completed_in_turn(Ticks start, std::span<const Ticks> ends) {
        // Local copies: the compiler must assume that a store to the histogram changes members.
        const std::uint64_t ns_per_tick = clock_.ns_per_tick_q32();
        Ticks worst = worst_;
        std::uint32_t* raw = raw_next_;
        std::uint64_t raw_space = static_cast<std::uint64_t>(raw_end_ - raw_next_);
        std::size_t counted = 0; // operations that are already included in operations_
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const Ticks finish = ends[i];
            if (finish > second_end_) [[unlikely]] {
                operations_ += i - counted;
                counted = i;
                worst_ = worst;
                close_seconds(start, finish);
                worst = 0;
            }
            const Ticks length = finish - start;
            const std::uint64_t ns = TickClock::to_ns(length, ns_per_tick);
            latency_.record(ns);
            if (length > worst) worst = length;
            if (raw_space != 0) {
                --raw_space;
                *raw++ = saturated(ns);
            }
            start = finish;
        }
        operations_ += ends.size() - counted;
        worst_ = worst;
        raw_next_ = raw;
    }
    /// Records the part of a block that was transferred before the transfer fell short. It counts as bytes, not as an
    /// operation.
    void add_partial(Bytes moved) { partial_ += moved; }

    [[nodiscard]] std::uint64_t operations() const { return operations_; }
    [[nodiscard]] Bytes moved() const { return block_ * operations_ + partial_; }
    /// Requires a paused recorder; the measured time ends at the pause. Moves everything into `result` and leaves the
    /// recorder empty.
    void deliver(CellResult& result) &&;

private:
    static std::uint32_t saturated(std::uint64_t ns) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(ns, 0xFFFF'FFFF));
    }
    /// Ends the seconds before `finish`. A block whose transfer from `start` to `finish` extends over several seconds
    /// is divided among them by time, so that the rate of a second does not depend on the size of the blocks.
    void close_seconds(Ticks start, Ticks finish);
    /// `moved_by_now`: all bytes up to the end of this second.
    void push_second(Ticks length, Bytes moved_by_now);

    const TickClock& clock_;
    Bytes block_;
    measure::HistogramRecorder latency_;
    std::vector<SeriesSample> series_;
    std::vector<std::uint32_t> raw_log_;
    std::uint32_t* raw_next_{};
    std::uint32_t* raw_end_{};
    std::uint64_t operations_{};
    Bytes partial_;

    Ticks second_length_;
    Ticks second_start_{};
    Ticks second_end_{};
    std::uint64_t operations_before_{};
    Bytes moved_before_; ///< moved in all finished seconds
    Ticks worst_{};

    Ticks begin_{};
    Ticks paused_at_{};
    Ticks paused_{};
    Ticks rested_{};   ///< part of `paused_`
    Ticks prepared_{}; ///< in addition to `paused_`
    Ticks sync_{};
};

/// The operations of a cell that is no stream of equal transfers. Each is added with its time and size. Inner part.
class Tally {
public:
    using Duration = std::chrono::nanoseconds;

    explicit Tally(CellSpec cell) { result_.cell = std::move(cell); }

    /// Adds one operation, or several that were timed as one. Time between operations belongs to no cell.
    void add(Duration length, Bytes moved, std::uint64_t operations = 1) {
        latency_.record(static_cast<std::uint64_t>(length.count()));
        result_.operations += operations;
        take(length, moved, operations);
        sample_.worst = std::max(sample_.worst, length);
        if (sample_.length >= std::chrono::seconds(1)) close_sample();
    }
    /// Adds one of several overlapping operations: it took `length` and ended `since_last` after the previous one.
    void add_overlapping(Duration length, Bytes moved, Duration since_last) {
        latency_.record(static_cast<std::uint64_t>(length.count()));
        ++result_.operations;
        take(since_last, moved, 1);
        sample_.worst = std::max(sample_.worst, length);
        if (sample_.length >= std::chrono::seconds(1)) close_sample();
    }
    void add_processor_time(Duration length) {
        result_.processor_time = result_.processor_time.value_or(Duration{}) + length;
    }
    /// Adds time that belongs to the cell but to no single operation.
    void add_sync(Duration length) {
        result_.sync_time += length;
        ++result_.evidence.sync_calls;
        take(length, {}, 0);
    }
    /// Adds bytes that the cell had already transferred before, and that memory may have served.
    void add_repeated(Bytes moved) { repeated_ += moved; }
    [[nodiscard]] Bytes repeated() const { return repeated_; }
    /// Adds the time of folder listings between the operations.
    void add_listing(Duration length) { take(length, {}, 0); }
    void add_prepared(Duration length) { result_.prepare_time += length; }
    /// Ends the current sample of the series. A sample also ends after a second.
    void close_sample() {
        if (sample_.length.count() > 0) result_.series.push_back(sample_);
        sample_ = {};
    }
    /// The result without its latencies, which take_result() adds.
    [[nodiscard]] CellResult& result() { return result_; }
    /// Returns the complete result and leaves the tally empty.
    [[nodiscard]] CellResult take_result() && {
        close_sample();
        result_.latency = latency_.histogram();
        return std::move(result_);
    }

private:
    void take(Duration length, Bytes moved, std::uint64_t operations) {
        result_.elapsed += length;
        result_.moved += moved;
        sample_.length += length;
        sample_.moved += moved;
        sample_.operations += operations;
    }

    CellResult result_;
    measure::HistogramRecorder latency_;
    SeriesSample sample_;
    Bytes repeated_;
};

} // namespace mediarig::workload
