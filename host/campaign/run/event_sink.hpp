// SPDX-License-Identifier: GPL-3.0-or-later
/// Adds the time to the events of a session.
#pragma once

#include <chrono>
#include <utility>

#include "host/campaign/event.hpp"
#include "host/campaign/run/campaign_ports.hpp"

namespace mediarig::campaign {

class EventSink {
public:
    EventSink(OnEvent sink, Clock clock)
        : sink_(std::move(sink)), clock_(std::move(clock)), start_(clock_.monotonic()) {}

    void operator()(EventBody body) const {
        if (sink_) sink_(SessionEvent{.since_start = elapsed(), .body = std::move(body)});
    }
    [[nodiscard]] std::chrono::nanoseconds elapsed() const { return clock_.monotonic() - start_; }
    [[nodiscard]] store::TimePoint utc() const { return clock_.utc(); }

private:
    OnEvent sink_;
    Clock clock_;
    std::chrono::nanoseconds start_;
};

} // namespace mediarig::campaign
