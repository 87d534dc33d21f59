// SPDX-License-Identifier: GPL-3.0-or-later
/// Events arrive in order, and the board keeps each event until the host has stored it.
#include "tests/catch.hpp"
#include "tests/common/rigproto/board_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rigproto;
using namespace mediarig::tests;

using Ids = std::vector<std::uint32_t>;

TEST_CASE("an event is sent without a request and contains id, time and subject") {
    Board board;
    Caller host = ready(board);
    board.events().port({2, PortState::tripped, Fault::port_short, 310}, 123'456);
    const auto events = host.take_events();
    REQUIRE(events.size() == 1);
    CHECK(events[0].op == static_cast<std::uint8_t>(EventKind::port));
    CHECK(events[0].session == host.session);
    const auto head = decode<EventHead>(events[0].payload());
    CHECK(head->id == 2); // id 1 was the reset
    CHECK(head->time_us == 123'456);
    const auto body = decode<PortEvent>(events[0].payload().subspan(size_of<EventHead>()));
    CHECK(body->port == 2);
    CHECK(body->fault == Fault::port_short);
    CHECK(body->millivolts == 310);
}

TEST_CASE("a job is reported from its acceptance to its end") {
    Board board;
    Caller host = ready(board);
    REQUIRE(host.ask(Op::load, LoadRequest{.job = 1}) == Reject::none);
    board.run(10'000);
    std::vector<std::uint8_t> kinds;
    for (const auto& event : host.take_events()) kinds.push_back(event.op);
    CHECK(kinds == std::vector<std::uint8_t>{static_cast<std::uint8_t>(EventKind::job_accepted),
                                             static_cast<std::uint8_t>(EventKind::job_done)});
}

TEST_CASE("nothing is sent before a HELLO") {
    Board board;
    CHECK(board.bytes().empty());
    CHECK(board.bytes(HostInterface::uart).empty());
}

TEST_CASE("unacknowledged events are sent again in order after 500 ms and after a HELLO") {
    Board board;
    Caller host = ready(board);
    for (std::uint8_t port = 0; port < 5; ++port) board.events().card({port, 1}, 0);
    CHECK(ids_of(host.take_events()) == Ids{2, 3, 4, 5, 6});
    CHECK(host.take_events().empty());
    board.run(499'000);
    CHECK(host.take_events().empty());
    board.run(1'000);
    CHECK(ids_of(host.take_events()) == Ids{2, 3, 4, 5, 6});

    host.acknowledge(4);
    board.run(500'000);
    CHECK(ids_of(host.take_events()) == Ids{5, 6});

    Caller again(board, 0x8888);
    const auto hello = again.hello();
    REQUIRE(hello);
    CHECK(hello->oldest_event == 5);
    CHECK(hello->status.unacked == 2);
    CHECK(ids_of(again.take_events()) == Ids{5, 6});
}

TEST_CASE("the answer to HELLO contains the next event id if no event is pending") {
    Board board;
    Caller host = ready(board);
    Caller again(board, 0x8888);
    CHECK(again.hello()->oldest_event == 2);
    board.events().card({1, 1}, 0);
    CHECK(ids_of(again.take_events()) == Ids{2});
    (void)host;
}

TEST_CASE("an acknowledgement covers all earlier events and must come from the session's host") {
    Board board;
    Caller host = ready(board);
    for (std::uint8_t port = 0; port < 5; ++port) board.events().card({port, 1}, 0);
    Caller stranger(board, 0x1111);
    stranger.acknowledge(6);
    CHECK(board.events().ring().waiting() == 5);
    host.acknowledge(7); // this id was never sent: it is from another life of the board
    CHECK(board.events().ring().waiting() == 5);
    host.acknowledge(5);
    CHECK(board.events().ring().waiting() == 1);
    host.acknowledge(3); // a late acknowledgement has no effect
    CHECK(board.events().ring().waiting() == 1);
    auto torn = Frame{.kind = Kind::event_ack, .session = host.session, .size = 3};
    board.receive(torn);
    CHECK(board.events().ring().waiting() == 1);
    CHECK(board.counters().stale == 3);
}

TEST_CASE("the board starts no job while 12 or more events wait for their acknowledgement") {
    Board board;
    Caller host = ready(board);
    for (std::uint8_t i = 0; i < busy_events; ++i) board.events().card({i, 1}, 0);
    CHECK(host.ask(Op::home, HomeRequest{1}) == Reject::events_full);
    CHECK(board.machine().begun.empty());
    CHECK(host.ask(Op::status) == Reject::none); // reading is always permitted
    host.acknowledge(2);
    CHECK(host.ask(Op::home, HomeRequest{1}) == Reject::none);
    CHECK(board.events().ring().waiting() == busy_events);
}

TEST_CASE("the last four places of the event ring are reserved for safety events and ends of jobs") {
    Board board;
    Caller host = ready(board);
    for (std::uint8_t i = 0; i < busy_events; ++i) board.events().card({i, 1}, 0);
    board.events().card({1, 0}, 0); // STATUS reports the card as well
    board.events().port({1, PortState::on, Fault::none, 5000}, 0);
    CHECK(board.events().ring().waiting() == busy_events);
    CHECK(board.counters().dropped_events == 2);
    board.events().port({1, PortState::tripped, Fault::port_short, 0}, 0);
    board.events().fault({Fault::estop, 0}, 0);
    board.events().job_failed(1, JobStage::idle, Fault::estop, 0, 0);
    board.events().cleared({Fault::estop, 0}, 0);
    CHECK(board.events().ring().waiting() == kept_events);
    board.events().fault({Fault::jam, 0}, 0);
    CHECK(board.counters().dropped_events == 3);
    Ids all;
    for (std::uint32_t id = 2; id < 2 + kept_events; ++id) all.push_back(id);
    CHECK(ids_of(host.take_events()) == all); // nothing was overwritten
}

TEST_CASE("events survive a watchdog reset, and their ids continue") {
    Board board;
    Caller host = ready(board);
    board.events().fault({Fault::jam, 3}, 777);
    board.reset(ResetReason::watchdog);
    Caller again(board, 0x8888);
    REQUIRE(again.hello());
    const auto events = again.take_events();
    REQUIRE(ids_of(events) == Ids{2, 3});
    CHECK(events[0].op == static_cast<std::uint8_t>(EventKind::fault));
    CHECK(decode<EventHead>(events[0].payload())->time_us == 777);
    const auto reset = decode<ResetEvent>(events[1].payload().subspan(size_of<EventHead>()));
    CHECK(reset->reason == ResetReason::watchdog);
    CHECK(reset->boot_id == 2);
    (void)host;
}

TEST_CASE("a progress event is sent once without an id, and a newer progress event replaces an unsent one") {
    Board board;
    Caller host = ready(board);
    board.events().job_progress(1, JobStage::travelling, 10);
    board.events().job_progress(1, JobStage::picking, 20);
    const auto events = host.take_events();
    REQUIRE(events.size() == 1);
    CHECK(events[0].op == static_cast<std::uint8_t>(EventKind::job_progress));
    CHECK(decode<EventHead>(events[0].payload())->id == 0);
    CHECK(decode<JobEvent>(events[0].payload().subspan(size_of<EventHead>()))->stage == JobStage::picking);
    board.run(1'000'000);
    CHECK(host.take_events().empty());
}

TEST_CASE("frames are sent completely even if the carrier accepts few bytes at a time") {
    for (const std::size_t piece : {1U, 7U, 63U, 64U, 500U}) {
        CAPTURE(piece);
        Board board;
        Caller host = ready(board);
        for (std::uint8_t port = 0; port < 5; ++port) board.events().card({port, 1}, 0);
        Decoder decoder;
        int frames = 0;
        for (const std::uint8_t byte : board.bytes(HostInterface::usb, piece)) {
            const auto outcome = decoder.feed(byte);
            CHECK((outcome == Decoder::Outcome::more || outcome == Decoder::Outcome::frame));
            if (outcome == Decoder::Outcome::frame) ++frames;
        }
        CHECK(frames == 5);
        (void)host;
    }
}
