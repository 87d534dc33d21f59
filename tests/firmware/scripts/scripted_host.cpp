// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/firmware/scripts/scripted_host.hpp"

#include <algorithm>
#include <array>

#include "host/rig/port/rig_text.hpp"

namespace mediarig::scenario {

using plant::milliseconds;
using plant::Nanoseconds;

namespace {
constexpr Nanoseconds slice = plant::microseconds(500);
constexpr Nanoseconds beat = milliseconds(250);
constexpr Nanoseconds patience = milliseconds(1'000);
} // namespace

rig::HostLink::Clock::time_point ScriptedHost::clock() const {
    return rig::HostLink::Clock::time_point(std::chrono::nanoseconds(board_->now()));
}

void ScriptedHost::exchange() {
    if (!link_) return;
    link_->tick(clock());
    if (const auto out = link_->take_output(); !out.empty()) board_->receive(out);
    std::array<std::uint8_t, 256> bytes{};
    while (const std::size_t count = board_->transmit(bytes)) link_->feed(std::span(bytes).first(count));
    while (const auto event = link_->take_event()) hear(*event);
    if (beating_ && (link_->take_answer() || link_->lost())) beating_ = false;
    if (!silent_ && !link_->lost() && !link_->pending() && board_->now() >= next_beat_) {
        link_->ask(rigproto::Op::heartbeat, rigproto::HeartbeatRequest{}, clock());
        beating_ = true;
        next_beat_ = board_->now() + beat;
    }
}

void ScriptedHost::hear(const rig::BoardEvent& event) {
    heard_.insert(std::string(rig::name_of(event.kind)));
    if (event.kind == rigproto::EventKind::job_done || event.kind == rigproto::EventKind::job_failed) {
        const auto body = std::span(event.payload).subspan(rigproto::size_of<rigproto::EventHead>());
        if (const auto job = rigproto::decode<rigproto::JobEvent>(body))
            ends_[job->job] = {event.kind == rigproto::EventKind::job_done, job->fault};
    }
    if (event.head.id != 0) link_->acknowledge(event.head.id);
}

void ScriptedHost::run(Nanoseconds time) {
    const Nanoseconds end = board_->now() + time;
    while (board_->now() < end) {
        exchange();
        board_->run_until(std::min(end, board_->now() + slice));
    }
    exchange();
}

/// Waits for a heartbeat's answer before another request.
void ScriptedHost::settle() {
    for (Nanoseconds end = board_->now() + patience; link_->pending() && !link_->lost() && board_->now() < end;)
        run(slice);
    beating_ = false;
    (void)link_->take_answer();
}

std::optional<rig::Answer> ScriptedHost::await() {
    const bool was_silent = silent_;
    silent_ = true; // only one request may be in flight
    std::optional<rig::Answer> answer;
    for (Nanoseconds end = board_->now() + patience; board_->now() < end && !link_->lost() && !answer;) {
        exchange();
        answer = link_->take_answer();
        if (!answer) board_->run_until(board_->now() + slice);
    }
    silent_ = was_silent;
    return answer;
}

std::optional<rig::Answer> ScriptedHost::ask(rigproto::Op op) {
    if (!link_ || link_->lost()) return {};
    settle();
    link_->ask(op, std::span<const std::uint8_t>{}, clock());
    return await();
}

std::optional<rigproto::HelloReply> ScriptedHost::greet() {
    link_.emplace(++nonce_);
    beating_ = false;
    const auto answer = ask(rigproto::Op::hello, rigproto::HelloRequest{.previous = session_});
    if (!answer || answer->rejection.reject != rigproto::Reject::none) return {};
    session_ = nonce_;
    hello_ = rigproto::decode<rigproto::HelloReply>(answer->payload);
    return hello_;
}

bool ScriptedHost::configure(const rigproto::Config& config) {
    const auto answer = ask(rigproto::Op::config, config);
    if (!answer || answer->rejection.reject != rigproto::Reject::none) return false;
    silent_ = false;
    next_beat_ = board_->now();
    return true;
}

bool ScriptedHost::stop() {
    if (!link_) link_.emplace(++nonce_);
    for (unsigned attempt = 0; attempt < 5; ++attempt) {
        link_->stop();
        for (unsigned i = 0; i < 50; ++i) {
            run(slice);
            if (link_->take_stopped()) return true;
        }
    }
    return false;
}

std::optional<rigproto::StatusReply> ScriptedHost::status() {
    const auto answer = ask(rigproto::Op::status);
    if (!answer || answer->rejection.reject != rigproto::Reject::none) return {};
    return rigproto::decode<rigproto::StatusReply>(answer->payload);
}

std::optional<rigproto::PortStatusReply> ScriptedHost::port(std::uint8_t port) {
    const auto answer = ask(rigproto::Op::port_status, rigproto::PortRequest{port});
    if (!answer || answer->rejection.reject != rigproto::Reject::none) return {};
    return rigproto::decode<rigproto::PortStatusReply>(answer->payload);
}

std::optional<ScriptedHost::End> ScriptedHost::end_of(std::uint32_t job) const {
    const auto found = ends_.find(job);
    if (found == ends_.end()) return {};
    return found->second;
}

} // namespace mediarig::scenario
