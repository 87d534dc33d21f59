// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes requests take the modelled time. Only this class waits.
#pragma once

#include <chrono>
#include <functional>

namespace mediarig::lab {

class Pacer {
public:
    using Time = std::chrono::nanoseconds;
    /// A sleep of any length takes about this much longer than requested on a usual machine; shorter delays are carried
    /// over to later requests.
    static constexpr Time inexact_sleep = std::chrono::microseconds(60);

    /// `clock` is monotonic; `sleep` waits for about the given time. `time_scale`: real seconds per modelled second; at
    /// 0 nothing waits, and the modelled time does not advance between requests. `shortest_sleep`: shorter delays are
    /// carried over; 1 ns in virtual time, where each sleep is exact.
    Pacer(double time_scale, std::function<Time()> clock, std::function<void(Time)> sleep,
          Time shortest_sleep = inexact_sleep);

    /// Call at the start of a request. Returns the modelled time.
    Time arrive();
    /// Call after the request was executed: waits until `took` has passed since arrive(). Sleeps that were too long or
    /// too short to perform are balanced with later requests, so the sum is exact if this machine is not slower than
    /// the medium.
    void leave(Time took);
    /// Waits for a real time; returns at once if the time scale is 0.
    void hold(Time real) const {
        if (time_scale_ > 0) sleep_(real);
    }

private:
    double time_scale_;
    std::function<Time()> clock_;
    std::function<void(Time)> sleep_;
    Time shortest_sleep_;
    Time started_, arrived_{};
    Time debt_{}; ///< time still to wait; negative after waiting too long
};

} // namespace mediarig::lab
