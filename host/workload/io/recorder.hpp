// SPDX-License-Identifier: GPL-3.0-or-later
/// Everything recorded about one cell while it runs: histogram, per-second series, raw log, elapsed time.
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

/// The clock of a cell starts with begin() and stands still between pause() and resume().
class Recorder {
public:
    enum class RawLog : std::uint8_t { off, on };
    static constexpr std::uint64_t longest_raw_log = std::uint64_t{1}
                                                     << 26; ///< 256 MiB; later operations are not in it

    /// `expected` operations: memory for the raw log is made ready before the clock starts.
    Recorder(const TickClock& clock, Bytes block, RawLog raw_log, std::uint64_t expected);

    [[nodiscard]] const TickClock& clock() const { return clock_; }

    void begin(Ticks now);
    void pause(Ticks now) { paused_at_ = now; }
    void resume(Ticks now);
    /// As resume(), where nothing was done since pause(): that time is nobody's.
    void resume_rested(Ticks now) {
        rested_ += now - paused_at_;
        resume(now);
    }
    void add_sync(Ticks length) { sync_ += length; }
    /// Payload was made so long while the clock went on, and the medium with what is in flight.
    void add_prepared(Ticks length) { prepared_ += length; }

    /// A whole block was moved between the two instants. Instants of ends must not go backwards.
    void completed(Ticks start, Ticks finish) {
        if (finish > second_end_) [[unlikely]]
            close_seconds(finish);
        const Ticks length = finish - start;
        const std::uint64_t ns = clock_.to_ns(length);
        latency_.record(ns);
        if (length > worst_) worst_ = length;
        ++operations_;
        if (raw_next_ != raw_end_) *raw_next_++ = saturated(ns);
    }
    /// Transfers done one after the other: each starts when the one before has ended.
    void completed_in_turn(Ticks start, std::span<const Ticks> ends) {
        // Copies: the compiler must assume that a store to the histogram changes members.
        const std::uint64_t ns_per_tick = clock_.ns_per_tick_q32();
        Ticks worst = worst_;
        std::uint32_t* raw = raw_next_;
        std::uint64_t raw_room = static_cast<std::uint64_t>(raw_end_ - raw_next_);
        std::size_t counted = 0; // of these, already in operations_
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const Ticks finish = ends[i];
            if (finish > second_end_) [[unlikely]] {
                operations_ += i - counted;
                counted = i;
                worst_ = worst;
                close_seconds(finish);
                worst = 0;
            }
            const Ticks length = finish - start;
            const std::uint64_t ns = TickClock::to_ns(length, ns_per_tick);
            latency_.record(ns);
            if (length > worst) worst = length;
            if (raw_room != 0) {
                --raw_room;
                *raw++ = saturated(ns);
            }
            start = finish;
        }
        operations_ += ends.size() - counted;
        worst_ = worst;
        raw_next_ = raw;
    }
    /// Part of a block was moved before the transfer fell short: counts as bytes, not as an operation.
    void add_partial(Bytes moved) { partial_ += moved; }

    [[nodiscard]] std::uint64_t operations() const { return operations_; }
    [[nodiscard]] Bytes moved() const { return block_ * operations_ + partial_; }
    /// Needs to be paused: the clock ended there. Moves everything into `result`; the recorder is spent.
    void deliver(CellResult& result) &&;

private:
    static std::uint32_t saturated(std::uint64_t ns) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(ns, 0xFFFF'FFFF));
    }
    void close_seconds(Ticks finish);
    void push_second(Ticks length);

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
    Ticks worst_{};

    Ticks begin_{};
    Ticks paused_at_{};
    Ticks paused_{};
    Ticks rested_{};   ///< of `paused_`
    Ticks prepared_{}; ///< beside `paused_`
    Ticks sync_{};
};

/// The operations of a cell that is no stream of equal transfers: each is added with its time and size. Inner part.
class Tally {
public:
    using Duration = std::chrono::nanoseconds;

    explicit Tally(CellSpec cell) { result_.cell = std::move(cell); }

    /// An operation that ended, or some that were timed as one. Time between operations is in no cell.
    void add(Duration length, Bytes moved, std::uint64_t operations = 1) {
        latency_.record(static_cast<std::uint64_t>(length.count()));
        result_.operations += operations;
        take(length, moved, operations);
        sample_.worst = std::max(sample_.worst, length);
        if (sample_.length >= std::chrono::seconds(1)) close_sample();
    }
    /// One of several that overlap: it took `length`, and ended `since_last` after the one before.
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
    /// Part of the cell's time that belongs to no single operation.
    void add_sync(Duration length) {
        result_.sync_time += length;
        ++result_.evidence.sync_calls;
        take(length, {}, 0);
    }
    /// Of what was moved, what the cell had moved before: memory may answer for it.
    void add_repeated(Bytes moved) { repeated_ += moved; }
    [[nodiscard]] Bytes repeated() const { return repeated_; }
    /// Of folders that are read between its operations.
    void add_listing(Duration length) { take(length, {}, 0); }
    void add_prepared(Duration length) { result_.prepare_time += length; }
    /// Ends the current sample of the series, which ends by itself after a second.
    void close_sample() {
        if (sample_.length.count() > 0) result_.series.push_back(sample_);
        sample_ = {};
    }
    /// Without its latencies, which come at the end.
    [[nodiscard]] CellResult& result() { return result_; }
    /// The tally is spent.
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
