// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes requests take the modelled time. Only this class waits.
#pragma once

#include <chrono>
#include <functional>

namespace mediarig::lab {

class Pacer {
public:
    using Time = std::chrono::nanoseconds;
    /// `clock` is monotonic; `sleep` waits for about the given time. `time_scale`: real seconds per modelled second; at
    /// 0 nothing waits, and the modelled time does not advance between requests.
    Pacer(double time_scale, std::function<Time()> clock, std::function<void(Time)> sleep);

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
    Time started_, arrived_{};
    Time debt_{}; ///< time still to wait; negative after waiting too long
};

} // namespace mediarig::lab
