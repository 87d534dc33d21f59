// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests what the board does while its host is silent, and what the host must send before jobs are permitted again.
#include "tests/catch.hpp"
#include "tests/common/rigproto/board_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rigproto;
using namespace mediarig::tests;

namespace {

constexpr std::uint64_t ms = 1000;
constexpr std::uint64_t s = 1000 * ms;

} // namespace

TEST_CASE("a lease lasts 3 s from HELLO, or 1 to 5 s as the heartbeat requests") {
    struct Row {
        std::uint16_t lease_ms;
        Reject answer;
    };
    const Row rows[] = {{999, Reject::out_of_range},  {1000, Reject::none},         {3000, Reject::none},
                        {5000, Reject::none},         {5001, Reject::out_of_range}, {0, Reject::out_of_range},
                        {65535, Reject::out_of_range}};
    for (const Row& row : rows) {
        CAPTURE(row.lease_ms);
        Board board;
        Caller host = ready(board);
        CHECK(host.ask(Op::heartbeat, HeartbeatRequest{row.lease_ms}) == row.answer);
        const std::uint64_t lasts = (row.answer == Reject::none ? row.lease_ms : 3000) * ms;
        board.run(lasts - 1 * ms);
        CHECK(board.machine().leases_lost == 0);
        board.run(1 * ms);
        CHECK(board.machine().leases_lost == 1);
    }
}

TEST_CASE("heartbeats extend the lease, other requests do not") {
    Board board;
    Caller host = ready(board);
    for (int i = 0; i < 100; ++i) {
        board.run(250 * ms);
        REQUIRE(host.ask(Op::heartbeat, HeartbeatRequest{1000}) == Reject::none);
    }
    CHECK(board.machine().leases_lost == 0);
    for (int i = 0; i < 10; ++i) {
        board.run(100 * ms);
        REQUIRE(host.ask(Op::status) == Reject::none);
    }
    CHECK(board.machine().leases_lost == 1);
}

TEST_CASE("a lost lease is reported once to the machine and in an event to the host, and no job can begin") {
    Board board;
    Caller host = ready(board);
    const LoadRequest before{.job = 1};
    REQUIRE(host.ask(Op::load, before) == Reject::none);
    board.run(10 * s);
    CHECK(board.machine().leases_lost == 1);
    bool told = false;
    for (const auto& event : host.take_events())
        told = told || event.op == static_cast<std::uint8_t>(EventKind::lease_lost);
    CHECK(told);
    CHECK(host.ask(Op::load, LoadRequest{.job = 2}) == Reject::lease_lost);
    CHECK(host.ask(Op::heartbeat, HeartbeatRequest{}) == Reject::lease_lost);
    CHECK(host.ask(Op::config, simulated_rig()) == Reject::lease_lost);
    CHECK(host.ask(Op::status) == Reject::none);
    CHECK(host.ask(Op::load, before) == Reject::none); // the answer for an accepted job stays the same
    CHECK(board.machine().begun.size() == 1);
}

TEST_CASE("after a lost lease, HELLO and a configuration check permit jobs again") {
    Board board;
    (void)ready(board);
    board.run(4 * s);
    Caller host(board, 0x8888);
    REQUIRE(host.hello());
    CHECK(host.ask(Op::home, HomeRequest{1}) == Reject::lease_lost);
    CHECK(host.ask(Op::heartbeat, HeartbeatRequest{}) == Reject::none); // keeps the new lease
    CHECK(host.configure() == Reject::none);
    CHECK(board.machine().configured.size() == 1); // the same configuration as before: checked, but not applied again
    CHECK(host.ask(Op::home, HomeRequest{1}) == Reject::none);
}

TEST_CASE("after a HELLO within the lease, jobs are permitted without further steps") {
    Board board;
    (void)ready(board);
    board.run(2900 * ms);
    Caller host(board, 0x8888);
    REQUIRE(host.hello());
    CHECK(host.ask(Op::home, HomeRequest{1}) == Reject::none);
    CHECK(board.machine().leases_lost == 0);
}

TEST_CASE("after 30 s of silence the rig is parked once") {
    Board board;
    Caller host = ready(board);
    board.run(29'999 * ms);
    CHECK(board.machine().parked == 0);
    board.run(1 * ms);
    CHECK(board.machine().parked == 1);
    board.run(100 * s);
    CHECK(board.machine().parked == 1);
    CHECK(board.machine().leases_lost == 1);
    CHECK(host.ask(Op::home, HomeRequest{1}) == Reject::lease_lost);
}

TEST_CASE("a host that falls silent after HELLO loses its lease again") {
    Board board;
    (void)ready(board);
    board.run(31 * s);
    Caller host(board, 0x8888);
    REQUIRE(host.hello());
    CHECK(board.machine().returned == 2);
    board.run(3 * s);
    CHECK(board.machine().leases_lost == 2);
    board.run(27 * s);
    CHECK(board.machine().parked == 2);
}

TEST_CASE("a host of another major version holds no lease") {
    Board board;
    (void)ready(board);
    board.run(2 * s);
    Caller foreign(board, 0x8888);
    REQUIRE(foreign.get<HelloReply>(foreign.frame(Op::hello, HelloRequest{.major = 9})));
    board.run(1 * s);
    CHECK(board.machine().leases_lost == 1);
}

TEST_CASE("a board without any HELLO has no lease to lose") {
    Board board;
    board.run(100 * s);
    CHECK(board.machine().leases_lost == 0);
    CHECK(board.machine().parked == 0);
}
