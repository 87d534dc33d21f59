// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests which host a session accepts, how a repeated request is answered, and what a host of another major version may
/// request.
#include "tests/catch.hpp"
#include "tests/common/rigproto/board_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rigproto;
using namespace mediarig::tests;

TEST_CASE("the answer to HELLO contains all data that the host needs") {
    Board board;
    Caller host(board);
    board.now_us = 250'000;
    const auto hello = host.hello();
    REQUIRE(hello);
    CHECK(hello->major == protocol_major);
    CHECK(hello->minor == protocol_minor);
    CHECK(hello->firmware_minor == 1);
    CHECK(hello->firmware_patch == 2);
    CHECK(std::string(hello->build.data()) == "abc");
    CHECK(std::string(hello->profile.data()) == "swap30");
    CHECK(hello->unique_id == Board::info.unique_id);
    CHECK(hello->pin_map_hash == 0x11223344);
    CHECK(hello->config_crc == 0);
    CHECK(hello->boot_id == 1);
    CHECK(hello->cold_start == 1);
    CHECK(hello->reset == ResetReason::power_on);
    CHECK(hello->oldest_event == 1);
    CHECK(hello->status.unacked == 1);
    CHECK(hello->status.time_us == 250'000);
}

TEST_CASE("each request before the first HELLO is refused for lack of a session") {
    Board board;
    Caller host(board);
    CHECK(host.ask(Op::status) == Reject::no_session);
    CHECK(host.ask(Op::heartbeat, HeartbeatRequest{}) == Reject::no_session);
    CHECK(host.ask(Op::load, LoadRequest{.job = 1}) == Reject::no_session);
    CHECK(board.machine().begun.empty());
}

TEST_CASE("after a reset the board reports the missing session instead of executing requests") {
    Board board;
    Caller host = ready(board);
    CHECK(host.ask(Op::status) == Reject::none);
    board.reset(ResetReason::watchdog);
    CHECK(host.ask(Op::load, LoadRequest{.job = 1}) == Reject::no_session);
    CHECK(board.machine().begun.empty());
}

TEST_CASE("frames of another session are reported as stale and counted") {
    Board board;
    Caller host = ready(board);
    Caller other(board, 0x4321);
    CHECK(other.ask(Op::load, LoadRequest{.job = 1}) == Reject::stale);
    CHECK(other.ask(Op::status) == Reject::stale);
    CHECK(board.counters().stale == 2);
    CHECK(board.machine().begun.empty());
    CHECK(host.ask(Op::status) == Reject::none);
}

TEST_CASE("a HELLO that continues the session replaces it and invalidates the old nonce") {
    Board board;
    Caller first = ready(board, 1);
    Caller second(board, 2);
    REQUIRE(second.hello());
    CHECK(first.ask(Op::status) == Reject::stale);
    CHECK(second.ask(Op::status) == Reject::none);
}

TEST_CASE("a HELLO of another host is refused over either carrier while the session is held") {
    for (const HostInterface carrier : {HostInterface::usb, HostInterface::uart}) {
        Board board;
        Caller host = ready(board, 1);
        Caller other(board, 2, carrier);
        CHECK(other.ask(Op::hello, HelloRequest{}) == Reject::session_held);
        CHECK(other.ask(Op::hello, HelloRequest{.previous = 7}) == Reject::session_held);
        CHECK(host.ask(Op::load, LoadRequest{.job = 1}) == Reject::none);
        CHECK(board.machine().returned == 1);
    }
}

TEST_CASE("a session ends with its lease, and the next host gets a new session") {
    Board board;
    Caller host = ready(board, 1);
    board.run(3'000'000);
    Caller other(board, 2);
    CHECK(other.ask(Op::hello, HelloRequest{}) == Reject::none);
    // The former host is now another host for the board.
    Caller again(board, 3);
    CHECK(again.ask(Op::hello, HelloRequest{.previous = 1}) == Reject::session_held);
    CHECK(again.ask(Op::hello, HelloRequest{.previous = 2}) == Reject::none);
}

TEST_CASE("a session ends with bye, and a repeated bye is answered") {
    Board board;
    Caller host = ready(board, 1);
    const auto bye = host.frame(Op::bye);
    CHECK(host.judge(bye) == Reject::none);
    CHECK(host.judge(bye) == Reject::none);
    CHECK(host.ask(Op::status) == Reject::no_session);
    CHECK(host.take_events().empty());
    Caller other(board, 2);
    CHECK(other.ask(Op::hello, HelloRequest{}) == Reject::none);
}

TEST_CASE("a host that missed the answer to its HELLO continues with its known nonce") {
    Board board;
    Caller known = ready(board, 1);
    Caller unheard(board, 2);
    board.receive(unheard.frame(Op::hello, HelloRequest{.previous = 1})); // the answer to this HELLO is lost
    (void)board.bytes();
    Caller next(board, 3);
    CHECK(next.ask(Op::hello, HelloRequest{.previous = 1}) == Reject::none);
}

TEST_CASE("a read-only host affects neither the session nor the lease nor the events") {
    Board board;
    Caller host = ready(board, 1);
    Caller looker(board, 2, HostInterface::uart);
    CHECK(looker.ask(Op::hello, HelloRequest{.look = 1}) == Reject::none);
    CHECK(looker.ask(Op::status) == Reject::none);
    CHECK(looker.ask(Op::counters) == Reject::none);
    CHECK(looker.ask(Op::heartbeat, HeartbeatRequest{}) == Reject::read_only);
    CHECK(looker.ask(Op::config, simulated_rig()) == Reject::read_only);
    CHECK(looker.ask(Op::bye) == Reject::read_only);
    CHECK(looker.ask(Op::load, LoadRequest{.job = 1}) == Reject::read_only);
    CHECK(looker.take_events().empty());
    CHECK(host.ask(Op::load, LoadRequest{.job = 1}) == Reject::none);
    board.run(20'000);
    CHECK_FALSE(host.take_events().empty());
    board.run(3'000'000);
    CHECK(board.machine().leases_lost == 1);
}

TEST_CASE("a delayed HELLO does not end a later session") {
    Board board;
    Caller first(board, 1);
    const auto late = first.frame(Op::hello, HelloRequest{});
    REQUIRE(first.send(late));
    board.host = 1;
    Caller second(board, 2);
    REQUIRE(second.hello());
    CHECK(first.judge(late) == Reject::stale);
    CHECK(second.ask(Op::status) == Reject::none);
    CHECK(board.counters().stale == 1);
}

TEST_CASE("nonce 0 is not a session") {
    Board board;
    Caller host(board, 0);
    CHECK_FALSE(host.hello());
    CHECK(host.ask(Op::status) == Reject::no_session);
}

TEST_CASE("a repeated request gets the stored answer and acts once") {
    Board board;
    Caller host = ready(board);
    const auto load = host.frame(Op::load, LoadRequest{.job = 1, .pocket = 3, .port = 1});
    const auto first = host.send(load);
    board.run(20'000); // the job ends in this time
    const auto second = host.send(load);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(*first == *second);
    CHECK(board.machine().begun.size() == 1);
    CHECK(board.counters().repeated == 1);
}

TEST_CASE("a repeated HELLO or refused request gets the same answer as before") {
    Board board;
    Caller host(board);
    const auto hello = host.frame(Op::hello, HelloRequest{});
    const auto greeted = host.send(hello);
    board.run(10'000);
    CHECK(host.send(hello) == greeted); // the same answer, with the old time
    board.machine().answer = {Reject::busy};
    const auto jog = host.frame(Op::config, simulated_rig());
    const auto refused = host.send(jog);
    board.machine().answer = {};
    REQUIRE(refused);
    CHECK(refused->bytes[0] == static_cast<std::uint8_t>(Reject::busy));
    CHECK(host.send(jog) == refused);
    CHECK(board.machine().configured.empty());
}

TEST_CASE("a request out of sequence is reported as stale") {
    Board board;
    Caller host = ready(board);
    const auto old = host.frame(Op::load, LoadRequest{.job = 1});
    REQUIRE(host.send(old));
    REQUIRE(host.ask(Op::status) == Reject::none);
    CHECK(host.judge(old) == Reject::stale);
    host.seq = static_cast<std::uint8_t>(host.seq + 10);
    CHECK(host.ask(Op::status) == Reject::stale);
    CHECK(board.counters().stale == 2);
    CHECK(board.machine().begun.size() == 1);
}

TEST_CASE("a request with the last sequence number and different content is dropped") {
    Board board;
    Caller host = ready(board);
    REQUIRE(host.ask(Op::load, LoadRequest{.job = 1}) == Reject::none);
    --host.seq;
    CHECK_FALSE(host.send(host.frame(Op::load, LoadRequest{.job = 2})));
    CHECK(board.machine().begun.size() == 1);
}

TEST_CASE("the sequence number wraps around") {
    Board board;
    Caller host = ready(board);
    for (int i = 0; i < 600; ++i) REQUIRE(host.ask(Op::status) == Reject::none);
}

TEST_CASE("answers and events go to the carrier of the last HELLO") {
    Board board;
    Caller usb = ready(board, 1);
    Caller uart(board, 2, HostInterface::uart);
    REQUIRE(uart.hello());
    board.run(1'000'000); // the board sends events again
    CHECK(board.frames(HostInterface::usb).empty());
    CHECK(usb.ask(Op::status) == Reject::stale);

    // A frame with the right nonce on the wrong carrier does not come from the host either.
    Caller mixed(board, 2, HostInterface::usb);
    mixed.seq = uart.seq;
    CHECK(mixed.ask(Op::status) == Reject::stale);
    CHECK(uart.ask(Op::status) == Reject::none);
}

TEST_CASE("a host of another major version can only query the board and stop the rig") {
    Board board;
    Caller host(board);
    const auto hello = host.get<HelloReply>(host.frame(Op::hello, HelloRequest{.major = 2}));
    REQUIRE(hello);
    CHECK(hello->major == 1);
    CHECK(host.ask(Op::status) == Reject::none);
    CHECK(host.ask(Op::clock) == Reject::none);
    CHECK(host.ask(Op::heartbeat, HeartbeatRequest{}) == Reject::read_only);
    CHECK(host.ask(Op::config, simulated_rig()) == Reject::read_only);
    CHECK(host.ask(Op::load, LoadRequest{.job = 1}) == Reject::read_only);
    CHECK(host.ask(static_cast<Op>(0x77)) == Reject::read_only);
    host.acknowledge(1);
    CHECK(board.events().ring().waiting() == 1); // the host's acknowledgement of events is not accepted
    CHECK(host.take_events().empty()); // no event is sent, because a host of another version could not parse it
    Frame stop{.kind = Kind::stop, .session = 9};
    CHECK(host.send(stop));
    CHECK(board.machine().stops == 1);
}

TEST_CASE("another major version is detected by the first byte") {
    Board board;
    Caller host(board);
    auto hello = host.frame(Op::hello);
    hello.bytes[0] = 2;
    hello.size = 1;
    CHECK(host.judge(hello) == Reject::none);
    CHECK(host.ask(Op::park, ParkRequest{1}) == Reject::read_only);
}

TEST_CASE("a HELLO without its arguments is refused and opens no session") {
    Board board;
    Caller host(board);
    CHECK(host.ask(Op::hello) == Reject::bad_payload);
    CHECK(host.ask(Op::status) == Reject::no_session);
}

TEST_CASE("a host of a newer minor version is served") {
    Board board;
    Caller host(board);
    auto hello = host.frame(Op::hello, HelloRequest{.major = 1, .minor = 99});
    hello.bytes[hello.size++] = 0x77; // an argument that this version does not know
    CHECK(host.judge(hello) == Reject::none);
    CHECK(host.configure() == Reject::none);
}

TEST_CASE("the answer to HELLO is complete even after a partial frame") {
    Board board;
    Caller host = ready(board);
    board.receive(host.frame(Op::status));
    std::array<std::uint8_t, 10> half{};
    REQUIRE(board.parts->link.transmit(HostInterface::usb, half, board.now_us) == half.size());
    Caller next(board, 0x2222);
    board.receive(next.frame(Op::hello, HelloRequest{.previous = board.host}));
    Decoder decoder;
    for (const std::uint8_t byte : half) (void)decoder.feed(byte);
    bool greeted = false;
    for (const std::uint8_t byte : board.bytes())
        greeted = greeted || (decoder.feed(byte) == Decoder::Outcome::frame && decoder.frame().session == 0x2222 &&
                              decoder.frame().kind == Kind::response);
    CHECK(greeted);
}
