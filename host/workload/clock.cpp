// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/clock.hpp"

#include <fstream>
#include <string>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mediarig::workload {
namespace {

#if defined(__x86_64__)
/// Invariant TSC: AMD64 Architecture Programmer's Manual vol. 3 and Intel SDM vol. 3B, CPUID 8000_0007h EDX bit 8.
/// The kernel's own choice of clock tells whether it found the counters of several processors to disagree.
bool counter_is_trustworthy() {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) == 0 || (edx & (1u << 8)) == 0) return false;
    std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string source;
    file >> source;
    return source == "tsc" || source == "kvm-clock" || source == "hyperv_clocksource_tsc_page";
}

struct Reading {
    Ticks counter;
    Ticks ns;
};

/// Both clocks at one instant: the tightest of a few tries, because an interrupt may come between the two.
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

TickClock TickClock::calibrated() {
#if defined(__x86_64__)
    if (counter_is_trustworthy()) {
        const Reading first = read_both(monotonic_now);
        while (monotonic_now() - first.ns < 1'000'000) {
        }
        const Reading last = read_both(monotonic_now);
        return {Source::counter,
                static_cast<double>(last.ns - first.ns) / static_cast<double>(last.counter - first.counter)};
    }
#endif
    return monotonic();
}

const TickClock& TickClock::best() {
    static const TickClock clock = calibrated();
    return clock;
}

} // namespace mediarig::workload
