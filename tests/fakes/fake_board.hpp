// SPDX-License-Identifier: GPL-3.0-or-later
/// A board at the other end of a pty in the test's process. It gives scripted answers and keeps received frames.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/rigproto/codec.hpp"
#include "common/rigproto/messages.hpp"
#include "common/rigproto/wire.hpp"

namespace mediarig::rig {

class FakeBoard {
public:
    explicit FakeBoard(boost::asio::io_context& io);
    ~FakeBoard();

    // --- the script, may change at any time ---

    rigproto::HelloReply hello;
    rigproto::StatusReply status;
    rigproto::JobStatusReply job; ///< answer to JOB_STATUS for any job
    /// Returns a replacement answer, or nothing for the default.
    std::function<std::optional<rigproto::Rejection>(const rigproto::Frame&)> refuses;
    /// Returns true if the frame is to be dropped.
    std::function<bool(const rigproto::Frame&)> loses;
    bool finishes{true};          ///< jobs are reported as done at once
    rigproto::Fault fails_with{}; ///< result of the jobs
    bool echoes{};                ///< echoes received bytes, as a modem does
    std::uint32_t wrong_crc{};    ///< number added to the checksum of the configuration

    /// The other end disconnects, as with an unplugged cable.
    void unplug();
    /// Sends an event with the next id, or with the given id.
    template <class Body>
    void tell(rigproto::EventKind kind, const Body& body, std::uint32_t id = 0) {
        rigproto::Frame frame{.kind = rigproto::Kind::event, .session = session};
        frame.op = static_cast<std::uint8_t>(kind);
        rigproto::append(frame, rigproto::EventHead{id != 0 ? id : ++last_event, 5});
        rigproto::append(frame, body);
        send(frame);
    }

    // --- recorded events ---

    std::string path;
    std::vector<rigproto::Frame> heard; ///< complete frames, including lost ones
    std::uint16_t session{};
    std::uint32_t last_event{};
    [[nodiscard]] std::size_t count(rigproto::Op op) const;
    [[nodiscard]] std::size_t count(rigproto::Kind kind) const;
    [[nodiscard]] std::uint32_t acknowledged() const; ///< newest event

private:
    struct End;
    void send(const rigproto::Frame& frame);
    void take(const rigproto::Frame& frame);
    void answer(const rigproto::Frame& request, rigproto::Frame& reply);

    /// A second name of the port, as udev names serial ports.
    class Link {
    public:
        std::string make(const std::string& node); ///< creates the name
        void remove();

    private:
        std::filesystem::path folder_;
    };

    std::shared_ptr<End> end_;
    Link link_;
    int spare_{-1};
    rigproto::Decoder decoder_;
};

} // namespace mediarig::rig
