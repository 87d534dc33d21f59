// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rig/wire.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace mediarig::rig {
namespace {

using std::chrono::steady_clock;

SerialPort open_soon(const std::string& path) {
    const auto until = steady_clock::now() + std::chrono::minutes(1);
    while (true) {
        auto line = open_line(path);
        if (line) return std::move(*line);
        if (steady_clock::now() > until) throw std::runtime_error(line.error().detail);
        ::usleep(1000);
    }
}

} // namespace

Wire::Wire(const std::string& path) : line_(open_soon(path)) {
    // The session differs in every test program and every connection.
    static std::uint16_t next = static_cast<std::uint16_t>(::getpid() * 31);
    session = static_cast<std::uint16_t>(next += 7);
    send_raw(std::array<std::uint8_t, 2>{0, 0});
}

void Wire::send_raw(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const auto count = ::write(line_.get(), bytes.data(), bytes.size());
        if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
        pollfd wait{line_.get(), POLLOUT, 0};
        if (count <= 0 && ::poll(&wait, 1, 10'000) <= 0) throw std::runtime_error("the line takes nothing");
    }
}

void Wire::send(const rigproto::Frame& frame) {
    const auto encoded = rigproto::encode(frame);
    send_raw(encoded.span());
}

std::optional<rigproto::Frame> Wire::any(steady_clock::time_point until) {
    while (true) {
        while (used_ < heard_.size())
            if (decoder_.feed(heard_[used_++]) == rigproto::Decoder::Outcome::frame) {
                const rigproto::Frame& frame = decoder_.frame();
                const auto head = rigproto::decode<rigproto::EventHead>(frame.payload());
                if (frame.kind == rigproto::Kind::event && head) newest_event_ = std::max(newest_event_, head->id);
                return frame;
            }
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now()).count();
        if (left <= 0) return std::nullopt;
        pollfd wait{line_.get(), POLLIN, 0};
        heard_.resize(4096);
        used_ = 0;
        const auto count =
            ::poll(&wait, 1, static_cast<int>(left)) > 0 ? ::read(line_.get(), heard_.data(), heard_.size()) : 0;
        heard_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        if (count < 0 || (wait.revents & POLLHUP) != 0) return std::nullopt;
    }
}

rigproto::Frame Wire::request(rigproto::Op op, std::vector<std::uint8_t> payload) {
    rigproto::Frame frame{.kind = rigproto::Kind::request, .session = session, .seq = ++seq};
    frame.op = static_cast<std::uint8_t>(op);
    for (const std::uint8_t byte : payload) frame.bytes[frame.size++] = byte;
    return frame;
}

std::optional<rigproto::Frame> Wire::ask(const rigproto::Frame& frame) {
    for (int i = 0; i < 5; ++i) {
        send(frame);
        const auto answer = next(
            [&](const rigproto::Frame& heard) {
                return heard.kind == rigproto::Kind::response && heard.session == frame.session &&
                       heard.seq == frame.seq && heard.op == frame.op;
            },
            std::chrono::milliseconds(400));
        if (answer) return answer;
    }
    return std::nullopt;
}

rigproto::Rejection Wire::verdict(const rigproto::Frame& frame) {
    const auto answer = ask(frame);
    if (!answer || answer->size == 0) throw std::runtime_error("the board does not answer");
    rigproto::Rejection rejection{static_cast<rigproto::Reject>(answer->bytes[0]), {}};
    if (rejection.reject == rigproto::Reject::interlock)
        rejection.interlock = static_cast<rigproto::Interlock>(answer->bytes[1]);
    return rejection;
}

std::optional<rigproto::HelloReply> Wire::hello(std::uint8_t major) {
    session = static_cast<std::uint16_t>(session + 11);
    if (session == 0) session = 1;
    rigproto::Frame frame = request_of(rigproto::Op::hello, rigproto::HelloRequest{major, 0, previous_});
    const auto hello = reply<rigproto::HelloReply>(frame);
    if (hello && major == rigproto::protocol_major) previous_ = session;
    return hello;
}

void Wire::introduce(const rigproto::Config& config) {
    if (!hello()) throw std::runtime_error("the board does not answer HELLO");
    if (verdict(request_of(rigproto::Op::config, config)).reject != rigproto::Reject::none)
        throw std::runtime_error("the board refuses the configuration");
}

void Wire::acknowledge(std::uint32_t event) {
    rigproto::Frame frame{.kind = rigproto::Kind::event_ack, .session = session};
    rigproto::append(frame, rigproto::EventAck{event});
    send(frame);
}

rigproto::Fault Wire::finish(std::uint32_t job, std::chrono::milliseconds within) {
    const auto until = steady_clock::now() + within;
    while (steady_clock::now() < until) {
        (void)reply<rigproto::StatusReply>(request_of(rigproto::Op::heartbeat, rigproto::HeartbeatRequest{}));
        const auto job_status =
            reply<rigproto::JobStatusReply>(request_of(rigproto::Op::job_status, rigproto::JobStatusRequest{job}));
        (void)next([](const rigproto::Frame& frame) { return frame.kind == rigproto::Kind::event; },
                   std::chrono::milliseconds(20));
        if (newest_event_ != 0) acknowledge(newest_event_);
        if (job_status && job_status->state == rigproto::JobState::done) return rigproto::Fault::none;
        if (job_status && job_status->state == rigproto::JobState::failed) return job_status->fault;
    }
    throw std::runtime_error("the job did not end");
}

} // namespace mediarig::rig
