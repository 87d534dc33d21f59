// SPDX-License-Identifier: GPL-3.0-or-later
/// Buffer that a recorder needs on a medium: from one write series at full speed, as a leaky bucket. Pure.
///
/// A recorder produces data at a constant rate; the medium takes them as fast as in the series. The bucket never
/// overflows if, for each interval of the series, the produced data exceed the written data by at most the buffer. So
/// the highest rate for a buffer is the minimum of (buffer + written) / length over all intervals.
///
/// The longest operation of a sample counts as a pause at its start, in which nothing is written. A real recorder gives
/// the medium idle time, in which many media recover: the result is a lower limit for the rate.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "common/units.hpp"

namespace mediarig::measure {

struct WriteInterval {
    std::chrono::nanoseconds length{};
    Bytes moved;
    std::chrono::nanoseconds longest{}; ///< longest single operation in it
};

class RecorderBuffer {
public:
    explicit RecorderBuffer(std::span<const WriteInterval> series);

    /// Length of the series: a recording of this length loses no frame. 0 without data.
    [[nodiscard]] std::chrono::nanoseconds length() const { return length_; }
    /// Mean rate of the series; a faster recorder overflows each buffer at some time.
    [[nodiscard]] Rate mean() const;
    /// The smallest sufficient buffer for this rate.
    [[nodiscard]] Bytes buffer_for(Rate rate) const;
    /// The highest rate without a lost frame; 0 without data.
    [[nodiscard]] Rate highest_rate(Bytes buffer) const;

private:
    struct Piece {
        double seconds{}, bytes{};
    };
    struct Overflow {
        double excess{};           ///< largest produced minus written data of an interval, at least 0
        double seconds{}, bytes{}; ///< of that interval
    };
    [[nodiscard]] Overflow worst_interval(double rate) const;

    std::vector<Piece> pieces_;
    std::chrono::nanoseconds length_{};
    double bytes_{};
};

} // namespace mediarig::measure
