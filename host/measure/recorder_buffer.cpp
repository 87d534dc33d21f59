// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/recorder_buffer.hpp"

#include <algorithm>
#include <cmath>

namespace mediarig::measure {

RecorderBuffer::RecorderBuffer(std::span<const WriteInterval> series) {
    for (const WriteInterval& interval : series) {
        if (interval.length.count() <= 0) continue;
        const auto pause = std::clamp(interval.longest, std::chrono::nanoseconds(0), interval.length);
        const auto seconds = [](std::chrono::nanoseconds time) { return std::chrono::duration<double>(time).count(); };
        const double moved = static_cast<double>(interval.moved.count);
        pieces_.push_back({.seconds = seconds(pause), .bytes = 0});
        pieces_.push_back({.seconds = seconds(interval.length - pause), .bytes = moved});
        length_ += interval.length;
        bytes_ += moved;
    }
}

Rate RecorderBuffer::mean() const {
    return {length_.count() == 0 ? 0 : bytes_ / std::chrono::duration<double>(length_).count()};
}

RecorderBuffer::Overflow RecorderBuffer::worst_interval(double rate) const {
    // The interval with the largest sum of (rate * seconds - bytes): Kadane's algorithm.
    Overflow worst, current;
    for (const Piece& piece : pieces_) {
        if (current.excess <= 0) current = {};
        current.excess += rate * piece.seconds - piece.bytes;
        current.seconds += piece.seconds;
        current.bytes += piece.bytes;
        if (current.excess > worst.excess) worst = current;
    }
    return worst;
}

Bytes RecorderBuffer::buffer_for(Rate rate) const {
    return {static_cast<std::uint64_t>(std::ceil(worst_interval(rate.bytes_per_second).excess))};
}

Rate RecorderBuffer::highest_rate(Bytes buffer) const {
    if (length_.count() == 0) return {0};
    const double size = static_cast<double>(buffer.count);
    // The minimum of a ratio over all intervals (Dinkelbach, 1967): each step takes the worst interval at the present
    // rate; its ratio is smaller, until no interval overflows.
    double rate = (size + bytes_) / std::chrono::duration<double>(length_).count();
    for (;;) {
        const Overflow worst = worst_interval(rate);
        if (worst.excess <= size || worst.seconds <= 0) return {rate};
        const double smaller = (size + worst.bytes) / worst.seconds;
        if (smaller >= rate) return {rate};
        rate = smaller;
    }
}

} // namespace mediarig::measure
