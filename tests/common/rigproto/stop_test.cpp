// SPDX-License-Identifier: GPL-3.0-or-later
/// STOP works at any time: before and during a session, over either carrier, and in a flood of other bytes.
#include <random>

#include "tests/catch.hpp"
#include "tests/common/rigproto/board_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rigproto;
using namespace mediarig::tests;

namespace {

constexpr Frame stop_under(std::uint16_t session, std::uint8_t seq = 1) {
    return {.kind = Kind::stop, .session = session, .seq = seq};
}

std::optional<StatusReply> confirmation(const std::vector<Frame>& frames, const Frame& stop) {
    for (const Frame& frame : frames)
        if (frame.kind == Kind::response && frame.op == 0 && frame.session == stop.session && frame.seq == stop.seq &&
            frame.size > 0 && frame.bytes[0] == 0)
            return decode<StatusReply>(frame.payload().subspan(1));
    return std::nullopt;
}

} // namespace

TEST_CASE("STOP works in any session over either carrier and is confirmed on the carrier over which it was sent") {
    for (const bool with_session : {false, true})
        for (const HostInterface carrier : {HostInterface::usb, HostInterface::uart})
            for (const std::uint16_t session : std::array<std::uint16_t, 3>{0x0000, 0x1234, 0xBEEF}) {
                CAPTURE(with_session, static_cast<int>(carrier), session);
                Board board;
                if (with_session) (void)ready(board);
                board.receive(stop_under(session), carrier);
                CHECK(board.machine().stops == 1);
                CHECK(board.counters().stops == 1);
                const auto status = confirmation(board.frames(carrier), stop_under(session));
                REQUIRE(status);
                CHECK(status->state == State::latched);
                CHECK(status->fault == Fault::stopped);
            }
}

TEST_CASE("STOP ends a running job, which fails with the fault \"stopped\"") {
    Board board;
    Caller host = ready(board);
    board.machine().duration_us = 10'000'000;
    REQUIRE(host.ask(Op::load, LoadRequest{.job = 1}) == Reject::none);
    board.run(1'000);
    board.receive(stop_under(host.session));
    const auto status = host.get<JobStatusReply>(host.frame(Op::job_status, JobStatusRequest{1}));
    REQUIRE(status);
    CHECK(status->state == JobState::failed);
    CHECK(status->fault == Fault::stopped);
}

TEST_CASE("STOP acts when its last byte arrives, before later bytes of the same piece are read") {
    Board board;
    Caller host = ready(board);
    std::vector<std::uint8_t> piece;
    for (const Frame& frame : {stop_under(host.session), host.frame(Op::load, LoadRequest{.job = 1})}) {
        const auto bytes = encode(frame);
        piece.insert(piece.end(), bytes.span().begin(), bytes.span().end());
    }
    for (std::size_t i = 0; i < piece.size(); ++i) {
        board.receive({&piece[i], 1});
        const std::size_t stop_size = encode(stop_under(host.session)).size;
        CHECK(board.machine().stops == (i + 1 >= stop_size ? 1 : 0));
    }
}

TEST_CASE("STOP is received while another frame is incomplete") {
    for (std::size_t half = 1; half < 14; ++half) {
        CAPTURE(half);
        Board board;
        Caller host = ready(board);
        const auto load = encode(host.frame(Op::load, LoadRequest{.job = 1}));
        REQUIRE(half < load.size);
        board.receive(load.span().first(half));
        // The sender of STOP does not know which bytes are pending on the line, and ends them with a delimiter.
        board.receive(std::vector<std::uint8_t>{0});
        board.receive(stop_under(host.session));
        CHECK(board.machine().stops == 1);
        CHECK(board.machine().begun.empty());
    }
}

TEST_CASE("STOP on one carrier is not delayed by a partial frame on the other carrier") {
    Board board;
    Caller host = ready(board);
    const auto load = encode(host.frame(Op::load, LoadRequest{.job = 1}));
    board.receive(load.span().first(5));
    board.receive(stop_under(0), HostInterface::uart);
    CHECK(board.machine().stops == 1);
    board.receive(load.span().subspan(5)); // continues unaffected
    CHECK(board.machine().begun.size() == 1);
}

TEST_CASE("STOP acts and is confirmed while the link is flooded and answers are not read") {
    Board board;
    Caller host = ready(board);
    std::mt19937 random(4);
    for (int i = 0; i < 5'000; ++i) {
        switch (random() % 4) {
            case 0:
                board.receive(host.frame(Op::status));
                break;
            case 1:
                board.receive(Caller(board, 77).frame(Op::status));
                break;
            case 2:
                board.receive(std::vector<std::uint8_t>(random() % 300, static_cast<std::uint8_t>(random())));
                break;
            default:
                board.events().card({1, 1}, 0);
        }
    }
    board.receive(std::vector<std::uint8_t>{0});
    board.receive(stop_under(0xBEEF));
    CHECK(board.machine().stops == 1);
    const auto frames = board.frames();
    REQUIRE_FALSE(frames.empty());
    CHECK(confirmation({frames.front()}, stop_under(0xBEEF))); // ahead of answers and events
}

TEST_CASE("a damaged STOP has no effect, and a repeated STOP does no harm") {
    Board board;
    auto bytes = encode(stop_under(1));
    bytes.bytes[3] ^= 1;
    board.receive(bytes.span());
    CHECK(board.machine().stops == 0);
    for (std::uint8_t seq = 1; seq <= 3; ++seq) board.receive(stop_under(1, seq));
    CHECK(board.machine().stops == 3);
    CHECK(confirmation(board.frames(), stop_under(1, 3)));
}
