// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fakes/fake_board.hpp"

#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

#include "common/crc32.hpp"

namespace mediarig::rig {
namespace asio = boost::asio;
using rigproto::Frame;
using rigproto::Kind;
using rigproto::Op;
using rigproto::Reject;

struct FakeBoard::End {
    End(asio::io_context& io, int descriptor, FakeBoard* owner) : line(io, descriptor), board(owner) {}
    asio::posix::stream_descriptor line;
    FakeBoard* board;

    static asio::awaitable<void> listen(std::shared_ptr<End> self) {
        std::array<std::uint8_t, 1024> buffer{};
        while (self->board != nullptr) {
            const auto [stopped, count] =
                co_await self->line.async_read_some(asio::buffer(buffer), asio::as_tuple(asio::use_awaitable));
            if (stopped || self->board == nullptr) break;
            const std::span<const std::uint8_t> bytes(buffer.data(), count);
            if (self->board->echoes && ::write(self->line.native_handle(), bytes.data(), bytes.size()) < 0) break;
            for (const std::uint8_t byte : bytes)
                if (self->board->decoder_.feed(byte) == rigproto::Decoder::Outcome::frame)
                    self->board->take(self->board->decoder_.frame());
        }
    }
};

std::string FakeBoard::Link::make(const std::string& node) {
    std::string folder = (std::filesystem::temp_directory_path() / "mediarig-line-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = folder;
    // Another user must get the port's own permission error.
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    std::filesystem::create_symlink(node, folder_ / "line");
    return folder_ / "line";
}

void FakeBoard::Link::remove() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
    folder_.clear();
}

FakeBoard::FakeBoard(asio::io_context& io) {
    int ours = -1;
    std::array<char, 128> name{};
    if (::openpty(&ours, &spare_, name.data(), nullptr, nullptr) != 0) throw std::runtime_error("no pty");
    termios raw{};
    ::tcgetattr(spare_, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(spare_, TCSANOW, &raw);
    path = link_.make(name.data());
    hello.major = rigproto::protocol_major;
    hello.profile = {'s', 'w', 'a', 'p', '3', '0'};
    hello.unique_id = {0, 0, 0, 0, 0, 0, 0, 7};
    hello.oldest_event = 1;
    status.state = rigproto::State::ready;
    end_ = std::make_shared<End>(io, ours, this);
    asio::co_spawn(io, End::listen(end_), asio::detached);
}

FakeBoard::~FakeBoard() {
    unplug();
}

void FakeBoard::unplug() {
    // The link is removed first, because the kernel may give the number of a closed pty to another program.
    link_.remove();
    if (spare_ >= 0) ::close(spare_);
    spare_ = -1;
    if (!end_) return;
    end_->board = nullptr;
    boost::system::error_code ignored;
    end_->line.close(ignored);
    end_.reset();
}

std::size_t FakeBoard::count(Op op) const {
    return static_cast<std::size_t>(std::count_if(heard.begin(), heard.end(), [op](const Frame& frame) {
        return frame.kind == Kind::request && frame.op == static_cast<std::uint8_t>(op);
    }));
}

std::size_t FakeBoard::count(Kind kind) const {
    return static_cast<std::size_t>(
        std::count_if(heard.begin(), heard.end(), [kind](const Frame& frame) { return frame.kind == kind; }));
}

std::uint32_t FakeBoard::acknowledged() const {
    std::uint32_t newest = 0;
    for (const Frame& frame : heard)
        if (frame.kind == Kind::event_ack)
            if (const auto ack = rigproto::decode<rigproto::EventAck>(frame.payload()))
                newest = std::max(newest, ack->id);
    return newest;
}

void FakeBoard::send(const Frame& frame) {
    if (!end_) return;
    const auto encoded = rigproto::encode(frame);
    if (::write(end_->line.native_handle(), encoded.bytes.data(), encoded.size) != encoded.size)
        throw std::runtime_error("the fake board cannot write");
}

void FakeBoard::take(const Frame& frame) {
    heard.push_back(frame);
    if (loses && loses(frame)) return;
    if (frame.kind == Kind::event_ack) return;
    Frame reply{.kind = Kind::response, .session = frame.session, .seq = frame.seq, .op = frame.op};
    if (frame.kind == Kind::stop) {
        rigproto::append(reply, Reject::none);
        rigproto::append(reply, status);
        return send(reply);
    }
    if (frame.op == static_cast<std::uint8_t>(Op::hello)) session = frame.session;
    const auto refusal = refuses ? refuses(frame) : std::nullopt;
    if (refusal) {
        rigproto::append(reply, refusal->reject);
        if (refusal->reject == Reject::interlock)
            reply.bytes[reply.size++] = static_cast<std::uint8_t>(refusal->interlock);
        return send(reply);
    }
    answer(frame, reply);
}

void FakeBoard::answer(const Frame& request, Frame& reply) {
    const auto op = static_cast<Op>(request.op);
    rigproto::append(reply, Reject::none);
    if (op == Op::hello) rigproto::append(reply, hello);
    if (op == Op::status || op == Op::heartbeat) rigproto::append(reply, status);
    if (op == Op::config) rigproto::append(reply, rigproto::ConfigReply{crc32(request.payload()) + wrong_crc});
    if (op == Op::job_status) rigproto::append(reply, job);
    send(reply);
    if (!rigproto::changes_state(op) || !finishes) return;
    const auto asked = rigproto::decode<rigproto::HomeRequest>(request.payload());
    const bool good = fails_with == rigproto::Fault::none;
    tell(good ? rigproto::EventKind::job_done : rigproto::EventKind::job_failed,
         rigproto::JobEvent{asked->job, rigproto::JobStage::idle, fails_with, 2});
}

} // namespace mediarig::rig
