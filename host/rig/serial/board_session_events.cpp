// SPDX-License-Identifier: GPL-3.0-or-later
// Events: first kept, then acknowledged, then told.
#include "host/rig/serial/board_session.hpp"

namespace mediarig::rig {
using rigproto::EventKind;

void SerialBoard::Session::hear() {
    if (line_ && line_->lost()) up_ = false;
    // The listener may have asked for something that led here again.
    if (line_ && up_ && log_ != nullptr && !hearing_) {
        hearing_ = true;
        const auto line = line_;
        std::uint32_t newest = 0;
        while (const auto event = line->take_event()) {
            if (auto kept = take(*event); !kept) {
                end(kept.error());
                break;
            }
            newest = std::max(newest, event->head.id);
        }
        if (newest != 0 && !line->lost()) line->acknowledge(newest);
        hearing_ = false;
    }
    wakeup_.all();
}

Result<void> SerialBoard::Session::take(const BoardEvent& event) {
    const LoggedEvent logged{epoch_, event.head.id, event.kind, event.payload};
    if (event.head.id != 0)
        if (auto kept = log_->keep(logged); !kept) return kept;
    if (event.kind == EventKind::job_done || event.kind == EventKind::job_failed) {
        const auto body = std::span(event.payload).subspan(rigproto::size_of<rigproto::EventHead>());
        const auto job = rigproto::decode<rigproto::JobEvent>(body);
        const auto found = job ? waiting_.find(job->job) : waiting_.end();
        if (found != waiting_.end()) found->second.outcome = JobOutcome{job->job, job->fault, job->detail, false};
    }
    if (listener) listener(logged);
    return {};
}

} // namespace mediarig::rig
