// SPDX-License-Identifier: GPL-3.0-or-later
/// Clock of the measured loop: the processor's time stamp counter if it is constant and never stops (9 ns per read),
/// else CLOCK_MONOTONIC (22 ns). It is read for each transfer, so it is no port: now() has one branch for the
/// difference between machines.
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>
#include <optional>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace mediarig::workload {

using Ticks = std::uint64_t;

class TickClock {
public:
    enum class Source : std::uint8_t { counter, monotonic };

    /// The processor's counter, calibrated for about 1 ms. Returns nothing if this processor has no counter with a
    /// constant rate. Only the operating system knows whether the counters of several processors agree.
    [[nodiscard]] static std::optional<TickClock> counter();
    /// CLOCK_MONOTONIC, available on every machine.
    [[nodiscard]] static TickClock monotonic() { return {Source::monotonic, 1.0}; }

    [[nodiscard]] Ticks now() const {
#if defined(__x86_64__)
        if (source_ == Source::counter) [[likely]]
            return __rdtsc();
#endif
        return monotonic_now();
    }
    /// Requires ticks below 2^63; exact to 2^-32 of the calibration.
    [[nodiscard]] std::uint64_t to_ns(Ticks ticks) const {
        return to_ns(ticks, ns_per_tick_q32_);
    }
    /// The conversion with a cached factor, for loops.
    [[nodiscard]] static std::uint64_t to_ns(Ticks ticks, std::uint64_t ns_per_tick_q32) {
        return static_cast<std::uint64_t>((static_cast<Wide>(ticks) * ns_per_tick_q32) >> 32);
    }
    /// Nanoseconds per tick, times 2^32.
    [[nodiscard]] std::uint64_t ns_per_tick_q32() const {
        return ns_per_tick_q32_;
    }
    [[nodiscard]] Ticks from_ns(std::chrono::nanoseconds length) const {
        return static_cast<Ticks>((static_cast<Wide>(length.count()) << 32) / ns_per_tick_q32_);
    }
    /// Time since an earlier instant of this clock.
    [[nodiscard]] std::chrono::nanoseconds since(Ticks start) const {
        return std::chrono::nanoseconds(static_cast<std::int64_t>(to_ns(now() - start)));
    }
    [[nodiscard]] Source source() const {
        return source_;
    }

private:
    __extension__ using Wide = unsigned __int128;

    TickClock(Source source, double ns_per_tick)
        : source_(source), ns_per_tick_q32_(static_cast<std::uint64_t>(ns_per_tick * 4294967296.0)) {}
    static Ticks monotonic_now() {
        timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<Ticks>(now.tv_sec) * 1'000'000'000 + static_cast<Ticks>(now.tv_nsec);
    }

    Source source_;
    std::uint64_t ns_per_tick_q32_;
};

/// User and kernel time of the calling thread so far.
[[nodiscard]] inline std::chrono::nanoseconds thread_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

} // namespace mediarig::workload
