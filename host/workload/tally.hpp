// SPDX-License-Identifier: GPL-3.0-or-later
/// The operations of a cell that is no stream of equal transfers: each is added with its time and size. Inner part.
#pragma once

#include <chrono>

#include "host/workload/outcome.hpp"

namespace mediarig::workload {

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
