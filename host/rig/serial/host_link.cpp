// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/serial/host_link.hpp"

#include <algorithm>
#include <utility>

namespace mediarig::rig {
namespace {

/// Returns the rejection in the payload, if it contains one.
std::optional<rigproto::Rejection> rejection_in(std::span<const std::uint8_t> payload) {
    if (payload.empty()) return std::nullopt;
    // Accept unknown reasons: a newer board may have more.
    rigproto::Rejection rejection{static_cast<rigproto::Reject>(payload[0]), {}};
    if (rejection.reject == rigproto::Reject::interlock && payload.size() > 1)
        rejection.interlock = static_cast<rigproto::Interlock>(payload[1]);
    return rejection;
}

} // namespace

void HostLink::send(const rigproto::Frame& frame) {
    const auto encoded = rigproto::encode(frame);
    output_.insert(output_.end(), encoded.span().begin(), encoded.span().end());
}

void HostLink::ask(rigproto::Op op, std::span<const std::uint8_t> payload, Clock::time_point now) {
    rigproto::Frame frame{.kind = rigproto::Kind::request, .session = nonce_, .seq = seq_++};
    frame.op = static_cast<std::uint8_t>(op);
    frame.size = static_cast<std::uint8_t>(payload.size());
    std::copy(payload.begin(), payload.end(), frame.bytes.begin());
    answer_.reset();
    request_ = Request{frame, now + answer_within, 1};
    send(frame);
}

std::vector<std::uint8_t> HostLink::bye() {
    rigproto::Frame frame{.kind = rigproto::Kind::request, .session = nonce_, .seq = seq_++};
    frame.op = static_cast<std::uint8_t>(rigproto::Op::bye);
    request_.reset();
    const auto encoded = rigproto::encode(frame);
    return {encoded.span().begin(), encoded.span().end()};
}

void HostLink::stop() {
    send({.kind = rigproto::Kind::stop, .session = nonce_, .seq = ++stop_seq_});
}

void HostLink::acknowledge(std::uint32_t event) {
    rigproto::Frame frame{.kind = rigproto::Kind::event_ack, .session = nonce_};
    acknowledged_ = event;
    rigproto::append(frame, rigproto::EventAck{event});
    send(frame);
}

void HostLink::feed(std::span<const std::uint8_t> bytes) {
    using Outcome = rigproto::Decoder::Outcome;
    for (const std::uint8_t byte : bytes) {
        const Outcome outcome = decoder_.feed(byte);
        if (outcome == Outcome::frame)
            take(decoder_.frame());
        else if (outcome != Outcome::more)
            ++counters_.damaged;
    }
}

void HostLink::take(const rigproto::Frame& frame) {
    const bool ours = frame.session == nonce_;
    if (ours && frame.kind == rigproto::Kind::response && frame.op == 0) {
        // Only the answer to STOP has no operation. Any confirmation suffices: the rig has stopped.
        const auto payload = frame.payload();
        const auto status =
            payload.empty() ? std::nullopt : rigproto::decode<rigproto::StatusReply>(payload.subspan(1));
        if (status) stopped_ = status;
    } else if (ours && frame.kind == rigproto::Kind::response) {
        answered(frame);
    } else if (ours && frame.kind == rigproto::Kind::event) {
        heard(frame);
    } else if (frame.kind != rigproto::Kind::log) {
        ++counters_.stale;
    }
}

void HostLink::answered(const rigproto::Frame& frame) {
    if (!request_ || frame.seq != request_->frame.seq || frame.op != request_->frame.op) {
        ++counters_.stale;
        return;
    }
    const auto rejection = rejection_in(frame.payload());
    if (!rejection) {
        ++counters_.damaged;
        return;
    }
    const auto payload = frame.payload().subspan(1);
    if (frame.op == static_cast<std::uint8_t>(rigproto::Op::hello) && rejection->reject == rigproto::Reject::none) {
        const auto hello = rigproto::decode<rigproto::HelloReply>(payload);
        // If no event is pending, `oldest_event` is the id of the next event. Ids begin at 1.
        if (hello) next_event_ = std::max(hello->oldest_event, std::uint32_t{1});
    }
    answer_ = Answer{*rejection, {}};
    if (rejection->reject == rigproto::Reject::none) answer_->payload.assign(payload.begin(), payload.end());
    request_.reset();
}

bool HostLink::in_order(std::uint32_t id) {
    // The board sends events in order from the oldest pending one, which its answer to HELLO names.
    if (next_event_ == 0) return false;
    if (id == 0) return true; // progress: sent once, not stored
    if (id < next_event_) {
        // The event was received before, but its acknowledgement was lost.
        if (id <= acknowledged_) acknowledge(acknowledged_);
        return false;
    }
    // An earlier event was damaged; the board repeats both.
    if (id > next_event_) return false;
    ++next_event_;
    return true;
}

void HostLink::heard(const rigproto::Frame& frame) {
    const auto head = rigproto::decode<rigproto::EventHead>(frame.payload());
    if (!head) {
        ++counters_.damaged;
        return;
    }
    if (!in_order(head->id)) {
        ++counters_.stale;
        return;
    }
    const auto payload = frame.payload();
    events_.push_back({static_cast<rigproto::EventKind>(frame.op), *head, {payload.begin(), payload.end()}});
}

void HostLink::tick(Clock::time_point now) {
    if (!request_ || now < request_->until) return;
    if (request_->sent == tries) {
        lost_ = true;
        request_.reset();
        return;
    }
    ++request_->sent;
    ++counters_.repeated;
    request_->until = now + answer_within;
    send(request_->frame);
}

std::optional<HostLink::Clock::time_point> HostLink::deadline() const {
    return request_ ? std::optional(request_->until) : std::nullopt;
}

std::vector<std::uint8_t> HostLink::take_output() {
    return std::exchange(output_, {});
}

std::optional<Answer> HostLink::take_answer() {
    return std::exchange(answer_, std::nullopt);
}

std::optional<BoardEvent> HostLink::take_event() {
    if (events_.empty()) return std::nullopt;
    BoardEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
}

std::optional<rigproto::StatusReply> HostLink::take_stopped() {
    return std::exchange(stopped_, std::nullopt);
}

} // namespace mediarig::rig
