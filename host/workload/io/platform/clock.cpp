// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/platform/clock.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mediarig::workload {
namespace {

#if defined(__x86_64__)
/// Invariant TSC: AMD64 Architecture Programmer's Manual vol. 3 and Intel SDM vol. 3B, CPUID 8000_0007h EDX bit 8.
bool counter_is_invariant() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
}

struct Reading {
    Ticks counter;
    Ticks ns;
};

/// Reads both clocks at one instant. Takes the tightest of several tries, because an interrupt may occur between the
/// two reads.
template <class NowNs>
Reading read_both(NowNs now_ns) {
    Reading best{};
    Ticks tightest = ~Ticks{0};
    for (int i = 0; i < 8; ++i) {
        const Ticks before = __rdtsc();
        const Ticks ns = now_ns();
        const Ticks after = __rdtsc();
        if (after - before < tightest) {
            tightest = after - before;
            best = {before + (after - before) / 2, ns};
        }
    }
    return best;
}
#endif

} // namespace

std::optional<TickClock> TickClock::counter() {
#if defined(__x86_64__)
    if (!counter_is_invariant()) return std::nullopt;
    const Reading first = read_both(monotonic_now);
    while (monotonic_now() - first.ns < 1'000'000) {
    }
    const Reading last = read_both(monotonic_now);
    return TickClock(Source::counter,
                     static_cast<double>(last.ns - first.ns) / static_cast<double>(last.counter - first.counter));
#else
    return std::nullopt;
#endif
}

} // namespace mediarig::workload
