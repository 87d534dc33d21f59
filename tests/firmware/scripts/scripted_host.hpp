// SPDX-License-Identifier: GPL-3.0-or-later
/// A host in virtual time: real frames through the host's own link to a virtual board in the same process.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "firmware/board/posix/virtual_board.hpp"
#include "host/rig/serial/host_link.hpp"

namespace mediarig::scenario {

class ScriptedHost {
public:
    explicit ScriptedHost(board::VirtualBoard& board) : board_(&board) {}

    /// Lets time pass: bytes are transferred in both directions, heartbeats are sent, events are received and
    /// acknowledged.
    void run(plant::Nanoseconds time);
    /// Sends HELLO with a new nonce. Returns nothing if there is no answer.
    std::optional<rigproto::HelloReply> greet();
    bool configure(const rigproto::Config& config);
    void be_silent(bool silent) { silent_ = silent; }
    bool stop();

    /// Waits for the answer. Returns nothing if no answer arrived.
    template <class Message>
    std::optional<rig::Answer> ask(rigproto::Op op, const Message& message) {
        if (!link_ || link_->lost()) return {};
        settle();
        link_->ask(op, message, clock());
        return await();
    }
    std::optional<rig::Answer> ask(rigproto::Op op);
    std::optional<rigproto::StatusReply> status();
    std::optional<rigproto::PortStatusReply> port(std::uint8_t port);

    struct End {
        bool done{};
        rigproto::Fault fault{};
    };
    [[nodiscard]] std::optional<End> end_of(std::uint32_t job) const;
    [[nodiscard]] bool heard_of(const std::string& event) const { return heard_.contains(event); }
    [[nodiscard]] const std::optional<rigproto::HelloReply>& hello() const { return hello_; }

private:
    [[nodiscard]] rig::HostLink::Clock::time_point clock() const;
    void exchange();
    void hear(const rig::BoardEvent& event);
    void settle();
    std::optional<rig::Answer> await();

    board::VirtualBoard* board_;
    std::optional<rig::HostLink> link_;
    std::optional<rigproto::HelloReply> hello_;
    std::uint16_t nonce_{0x4000};
    std::uint16_t session_{}; ///< the last session accepted by the board
    bool silent_{true};
    plant::Nanoseconds next_beat_{};
    bool beating_{}; ///< the pending request is a heartbeat
    std::map<std::uint32_t, End> ends_;
    std::set<std::string> heard_;
};

} // namespace mediarig::scenario
