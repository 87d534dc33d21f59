// SPDX-License-Identifier: GPL-3.0-or-later
// Events: first kept, then acknowledged, then told.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <utility>

#include "host/rig/serial/board_session.hpp"

namespace mediarig::rig {
namespace asio = boost::asio;
using rigproto::EventKind;

void SerialBoard::Session::hear() {
    if (line_ && line_->lost()) up_ = false;
    if (line_ && up_ && log_ != nullptr && !hearing_) {
        hearing_ = true;
        asio::co_spawn(
            executor_, [self = shared_from_this()] { return self->keep_events(); },
            [self = shared_from_this()](const std::exception_ptr& broken) {
                if (broken) self->end({Errc::io_failed, "keeping the board's events broke: " + what_broke(broken)});
            });
    }
    wakeup_.all();
}

/// What comes while one is kept is kept by the same loop.
asio::awaitable<void> SerialBoard::Session::keep_events() {
    const auto self = shared_from_this();
    Result<void> kept;
    while (up_ && kept) {
        const auto line = line_;
        const unsigned greetings = greetings_;
        const auto same_session = [&] { return up_ && greetings == greetings_; };
        std::uint32_t newest = 0;
        bool any = false;
        while (kept && same_session()) {
            auto event = line->take_event();
            if (!event) break;
            any = true;
            const std::uint32_t id = event->head.id;
            kept = co_await take(std::move(*event));
            if (kept) newest = std::max(newest, id);
            wakeup_.all();
        }
        // A board that was greeted anew meanwhile sends again what was not acknowledged, or counts from the beginning.
        if (newest != 0 && same_session()) line->acknowledge(newest);
        if (!any) break;
    }
    hearing_ = false;
    if (!kept) end(kept.error());
}

asio::awaitable<Result<void>> SerialBoard::Session::take(BoardEvent event) {
    const auto self = shared_from_this();
    const LoggedEvent logged{epoch_, event.head.id, event.kind, event.payload};
    if (event.head.id != 0) {
        auto kept = co_await log_->keep(logged);
        if (!kept) co_return kept;
    }
    if (event.kind == EventKind::job_done || event.kind == EventKind::job_failed) {
        const auto body = std::span(event.payload).subspan(rigproto::size_of<rigproto::EventHead>());
        const auto job = rigproto::decode<rigproto::JobEvent>(body);
        const auto found = job ? waiting_.find(job->job) : waiting_.end();
        if (found != waiting_.end()) found->second.outcome = JobOutcome{job->job, job->fault, job->detail, false};
    }
    if (listener) listener(logged);
    co_return Result<void>{};
}

} // namespace mediarig::rig
