// SPDX-License-Identifier: GPL-3.0-or-later
/// The link of a board over a machine that only counts its jobs, in virtual time, with short functions for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "common/rigproto/codec.hpp"
#include "common/rigproto/simulated_rig.hpp"
#include "common/rigproto/wire.hpp"
#include "firmware/core/link/link.hpp"

namespace mediarig::tests {

using firmware::HostInterface;

/// Accepts every request and records it. A job takes `duration_us` and fails on request.
class CountingMachine {
public:
    explicit CountingMachine(firmware::Events& events) : events_(&events) {}

    rigproto::Rejection begin(const firmware::RigCommand& command, std::uint64_t now_us) {
        if (answer.reject != rigproto::Reject::none) return answer;
        if (running_ != 0) return {rigproto::Reject::busy};
        begun.push_back(command);
        running_ = firmware::job_of(command);
        done_us_ = now_us + duration_us;
        return {};
    }
    rigproto::Rejection configure(const rigproto::Config& config, std::uint64_t) {
        if (answer.reject == rigproto::Reject::none) configured.push_back(config);
        return answer;
    }
    void stop(std::uint64_t now_us) {
        ++stops;
        state.state = rigproto::State::latched;
        state.fault = rigproto::Fault::stopped;
        end(rigproto::Fault::stopped, now_us);
    }
    void lease_lost(std::uint64_t) { ++leases_lost; }
    void lease_parked(std::uint64_t) { ++parked; }
    void host_returned() { ++returned; }
    [[nodiscard]] rigproto::StatusReply status() const {
        auto status = state;
        status.running_job = running_;
        return status;
    }
    [[nodiscard]] rigproto::PortStatusReply port(std::uint8_t port) const { return {.port = port, .cycles = 42}; }
    [[nodiscard]] rigproto::NestReply nest() const { return {.job = 7, .command = 13}; }
    [[nodiscard]] rigproto::NestRegistersReply nest_registers() const { return {.job = 7}; }

    void tick(std::uint64_t now_us) {
        if (running_ != 0 && now_us >= done_us_) end(rigproto::Fault::none, now_us);
    }

    rigproto::Rejection answer; ///< answer to every request
    std::uint64_t duration_us{5'000};
    rigproto::StatusReply state{.state = rigproto::State::ready};
    std::vector<firmware::RigCommand> begun;
    std::vector<rigproto::Config> configured;
    int stops{}, leases_lost{}, parked{}, returned{};

private:
    void end(rigproto::Fault fault, std::uint64_t now_us) {
        if (running_ == 0) return;
        if (fault == rigproto::Fault::none)
            events_->job_done(running_, now_us);
        else
            events_->job_failed(running_, rigproto::JobStage::travelling, fault, 0, now_us);
        running_ = 0;
    }

    firmware::Events* events_;
    std::uint32_t running_{};
    std::uint64_t done_us_{};
};
static_assert(firmware::RigMachine<CountingMachine>);

/// The life of a board from one reset to the next. `retained` survives a watchdog reset.
class Board {
public:
    static constexpr firmware::BoardInfo info{.major = 0,
                                              .minor = 1,
                                              .patch = 2,
                                              .build = {'a', 'b', 'c'},
                                              .unique_id = {1, 2, 3, 4, 5, 6, 7, 8},
                                              .pin_map_hash = 0x11223344,
                                              .reset = rigproto::ResetReason::power_on};

    Board() { start(info); }

    /// Resets the board, which keeps only `retained`; the machine with its records is new.
    void reset(rigproto::ResetReason reason) {
        auto board = info;
        board.reset = reason;
        start(board);
    }

    void receive(std::span<const std::uint8_t> bytes, HostInterface carrier = HostInterface::usb) {
        parts->link.receive(carrier, bytes, now_us);
    }
    void receive(const rigproto::Frame& frame, HostInterface carrier = HostInterface::usb) {
        const auto encoded = rigproto::encode(frame);
        receive(encoded.span(), carrier);
    }
    /// Returns all bytes that the board sends now.
    std::vector<std::uint8_t> bytes(HostInterface carrier = HostInterface::usb, std::size_t piece = 64) {
        std::vector<std::uint8_t> all;
        std::vector<std::uint8_t> out(piece);
        while (const std::size_t size = parts->link.transmit(carrier, out, now_us))
            all.insert(all.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size));
        return all;
    }
    std::vector<rigproto::Frame> frames(HostInterface carrier = HostInterface::usb) {
        std::vector<rigproto::Frame> all;
        for (const std::uint8_t byte : bytes(carrier))
            if (decoder_.feed(byte) == rigproto::Decoder::Outcome::frame) all.push_back(decoder_.frame());
        return all;
    }
    /// Runs ticks of 500 us.
    void run(std::uint64_t duration_us) {
        for (const std::uint64_t end = now_us + duration_us; now_us < end;) {
            now_us += 500;
            parts->link.tick(now_us);
            parts->machine.tick(now_us);
        }
    }

    [[nodiscard]] CountingMachine& machine() { return parts->machine; }
    [[nodiscard]] firmware::Events& events() { return parts->events; }
    [[nodiscard]] rigproto::CountersReply counters() const { return parts->link.counters(); }

    firmware::Retained retained{};
    std::uint64_t now_us{};
    bool cold{};

    struct Parts {
        Parts(firmware::Retained& kept, const firmware::BoardInfo& board)
            : events(kept), machine(events), link(kept, events, machine, board) {}
        firmware::Events events;
        CountingMachine machine;
        firmware::Link<CountingMachine> link;
    };
    std::unique_ptr<Parts> parts;
    std::uint16_t host{}; ///< session of the last HELLO

private:
    void start(const firmware::BoardInfo& board) {
        cold = firmware::open_retained(retained);
        now_us = 0;
        parts = std::make_unique<Parts>(retained, board);
    }
    rigproto::Decoder decoder_;
};

/// A host that follows the protocol and can be made to violate it.
class Caller {
public:
    explicit Caller(Board& board, std::uint16_t nonce = 0x1234, HostInterface carrier = HostInterface::usb)
        : session(nonce), board_(&board), carrier_(carrier) {}

    rigproto::Frame frame(rigproto::Op op) {
        return {.kind = rigproto::Kind::request, .session = session, .seq = ++seq, .op = static_cast<std::uint8_t>(op)};
    }
    template <class Message>
    rigproto::Frame frame(rigproto::Op op, const Message& message) {
        auto made = frame(op);
        rigproto::append(made, message);
        return made;
    }
    /// Returns the response to this frame; events that come along are kept in `events`.
    std::optional<rigproto::Frame> send(const rigproto::Frame& request) {
        board_->receive(request, carrier_);
        std::optional<rigproto::Frame> response;
        for (const auto& heard : board_->frames(carrier_))
            if (heard.kind == rigproto::Kind::response)
                response = heard;
            else if (heard.kind == rigproto::Kind::event)
                events.push_back(heard);
        return response;
    }
    /// Returns the first byte of the answer to this request, or nothing without an answer.
    std::optional<rigproto::Reject> judge(const rigproto::Frame& request) {
        const auto response = send(request);
        if (!response || response->seq != request.seq || response->op != request.op || response->size == 0)
            return std::nullopt;
        return static_cast<rigproto::Reject>(response->bytes[0]);
    }
    template <class Message>
    std::optional<rigproto::Reject> ask(rigproto::Op op, const Message& message) {
        return judge(frame(op, message));
    }
    std::optional<rigproto::Reject> ask(rigproto::Op op) { return judge(frame(op)); }
    /// Returns the payload of the answer, which follows its first byte, Reject::none.
    template <class Answer>
    std::optional<Answer> get(const rigproto::Frame& request) {
        const auto response = send(request);
        if (!response || response->size == 0 || response->bytes[0] != 0) return std::nullopt;
        return rigproto::decode<Answer>(response->payload().subspan(1));
    }

    /// Sends HELLO as the holder of the session.
    std::optional<rigproto::HelloReply> hello() {
        const auto reply =
            get<rigproto::HelloReply>(frame(rigproto::Op::hello, rigproto::HelloRequest{.previous = board_->host}));
        if (reply) board_->host = session;
        return reply;
    }
    std::optional<rigproto::Reject> configure() { return ask(rigproto::Op::config, rigproto::simulated_rig(8, 2)); }
    void acknowledge(std::uint32_t id) {
        rigproto::Frame ack{.kind = rigproto::Kind::event_ack, .session = session};
        rigproto::append(ack, rigproto::EventAck{id});
        (void)send(ack);
    }
    /// Returns the events received since the last call, without sending a request.
    std::vector<rigproto::Frame> take_events() {
        for (const auto& heard : board_->frames(carrier_))
            if (heard.kind == rigproto::Kind::event) events.push_back(heard);
        return std::exchange(events, {});
    }

    std::uint16_t session;
    std::uint8_t seq{0x40};
    std::vector<rigproto::Frame> events;

private:
    Board* board_;
    HostInterface carrier_;
};

inline std::vector<std::uint32_t> ids_of(const std::vector<rigproto::Frame>& events) {
    std::vector<std::uint32_t> ids;
    for (const auto& event : events)
        if (const auto head = rigproto::decode<rigproto::EventHead>(event.payload())) ids.push_back(head->id);
    return ids;
}

/// Returns a host after HELLO and configuration, with all events acknowledged.
inline Caller ready(Board& board, std::uint16_t session = 0x1234) {
    Caller host(board, session);
    (void)host.hello();
    (void)host.configure();
    host.acknowledge(board.events().ring().ids().next - 1);
    host.events.clear();
    return host;
}

} // namespace mediarig::tests
