// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes requests take as long as the model says: the only place where a modelled medium waits.
#pragma once

#include <chrono>
#include <functional>

namespace mediarig::lab {

class Pacer {
public:
    using Time = std::chrono::nanoseconds;
    /// `clock` never goes back; `sleep` waits for about so long. `time_scale`: seconds to wait for each modelled one;
    /// at 0 nothing waits, and the modelled time stands still between requests.
    Pacer(double time_scale, std::function<Time()> clock, std::function<void(Time)> sleep);

    /// To be called when a request comes in. The modelled time.
    Time arrive();
    /// To be called when it has been carried out: waits until `took` is over, counted from arrive(). What a sleep gave
    /// too much or was too short to wait for is settled with later requests, so the sum is exact, as long as this
    /// machine is not slower than the medium.
    void leave(Time took);
    /// Waits for so long of real time, except where nothing waits.
    void hold(Time real) const {
        if (time_scale_ > 0) sleep_(real);
    }

private:
    double time_scale_;
    std::function<Time()> clock_;
    std::function<void(Time)> sleep_;
    Time started_, arrived_{};
    Time debt_{}; ///< still to be waited; negative: waited too long
};

} // namespace mediarig::lab
