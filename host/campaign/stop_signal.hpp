// SPDX-License-Identifier: GPL-3.0-or-later
/// Request to end or pause the session. Use it only on the session's thread.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace mediarig::campaign {

class StopSignal {
public:
    /// Requests the session to end soon; `why` is one line for the record. The first reason is kept. Returns true if a
    /// session was running and could interrupt its step.
    bool request(std::string why) {
        if (requested()) return true;
        why_ = std::move(why);
        if (!on_request_) return false;
        on_request_();
        return true;
    }
    [[nodiscard]] bool requested() const { return !why_.empty(); }
    [[nodiscard]] const std::string& why() const { return why_; }
    /// Set by the session: interrupts the running step.
    void on_request(std::function<void()> action) { on_request_ = std::move(action); }

    /// Reports that the end is delayed: `line` names the cause. Has no effect without an observer.
    void delayed(const std::string& line) {
        if (on_delay_) on_delay_(line);
    }
    void on_delay(std::function<void(const std::string& line)> action) { on_delay_ = std::move(action); }

    /// While paused, running steps finish and no step begins. An unchanged state is also reported, because the client
    /// that requested the pause waits for the reply.
    void pause(bool paused) {
        paused_ = paused;
        if (on_pause_) on_pause_(paused);
    }
    [[nodiscard]] bool paused() const { return paused_; }
    /// Set by the session: reports a pause.
    void on_pause(std::function<void(bool)> action) { on_pause_ = std::move(action); }

private:
    std::string why_;
    std::function<void()> on_request_;
    std::function<void(const std::string&)> on_delay_;
    bool paused_{false};
    std::function<void(bool)> on_pause_;
};

} // namespace mediarig::campaign
