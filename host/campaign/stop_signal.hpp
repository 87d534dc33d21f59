// SPDX-License-Identifier: GPL-3.0-or-later
/// Somebody wants the session to end, or to wait. Used on the session's thread only.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace mediarig::session {

class StopSignal {
public:
    /// Asks the session to end soon; `why` is one line for the record. The first reason stays.
    /// True where a session was there to interrupt its running step.
    bool request(std::string why) {
        if (requested()) return true;
        why_ = std::move(why);
        if (!on_request_) return false;
        on_request_();
        return true;
    }
    [[nodiscard]] bool requested() const { return !why_.empty(); }
    [[nodiscard]] const std::string& why() const { return why_; }
    /// The session sets what interrupts the running step.
    void on_request(std::function<void()> action) { on_request_ = std::move(action); }

    /// The end takes long: `line` says what is waited for. Told to whoever shows the session, if anybody does.
    void delayed(const std::string& line) {
        if (on_delay_) on_delay_(line);
    }
    void on_delay(std::function<void(const std::string& line)> action) { on_delay_ = std::move(action); }

    /// Steps that run are brought to their end; none begins until it is false again. Told also where nothing changes:
    /// whoever asked waits for the answer.
    void pause(bool paused) {
        paused_ = paused;
        if (on_pause_) on_pause_(paused);
    }
    [[nodiscard]] bool paused() const { return paused_; }
    /// The session sets how it is told.
    void on_pause(std::function<void(bool)> action) { on_pause_ = std::move(action); }

private:
    std::string why_;
    std::function<void()> on_request_;
    std::function<void(const std::string&)> on_delay_;
    bool paused_{false};
    std::function<void(bool)> on_pause_;
};

} // namespace mediarig::session
