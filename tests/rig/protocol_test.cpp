// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/serial/host_link.hpp"
#include "tests/catch.hpp"

using namespace mediarig::rig;
namespace rigproto = mediarig::rigproto;
using rigproto::Frame;
using rigproto::Kind;
using rigproto::Op;
using rigproto::Reject;
using Time = HostLink::Clock::time_point;
using std::chrono::milliseconds;

namespace {

constexpr std::uint16_t nonce = 77;
const Time start{};

std::vector<Frame> frames_in(const std::vector<std::uint8_t>& bytes) {
    rigproto::Decoder decoder;
    std::vector<Frame> frames;
    for (const std::uint8_t byte : bytes)
        if (decoder.feed(byte) == rigproto::Decoder::Outcome::frame) frames.push_back(decoder.frame());
    return frames;
}

void give(HostLink& link, const Frame& frame) {
    const auto encoded = rigproto::encode(frame);
    link.feed(encoded.span());
}

/// A link after HELLO: the next event is `next`.
HostLink greeted(std::uint32_t next = 1) {
    HostLink link(nonce);
    link.ask(Op::hello, rigproto::HelloRequest{}, start);
    Frame reply{.kind = Kind::response, .session = nonce, .op = static_cast<std::uint8_t>(Op::hello)};
    rigproto::append(reply, Reject::none);
    rigproto::HelloReply hello;
    hello.oldest_event = next;
    rigproto::append(reply, hello);
    give(link, reply);
    (void)link.take_answer();
    (void)link.take_output();
    return link;
}

Frame event(std::uint32_t id, std::uint16_t session = nonce) {
    Frame frame{.kind = Kind::event, .session = session};
    frame.op = static_cast<std::uint8_t>(rigproto::EventKind::lease_lost);
    rigproto::append(frame, rigproto::EventHead{id, 0});
    return frame;
}

std::vector<std::uint32_t> told(HostLink& link) {
    std::vector<std::uint32_t> ids;
    while (const auto next = link.take_event()) ids.push_back(next->head.id);
    return ids;
}

} // namespace

TEST_CASE("a session begins with a delimiter that ends partial frames of an earlier host") {
    HostLink link(nonce);
    link.ask(Op::hello, rigproto::HelloRequest{}, start);
    const auto bytes = link.take_output();
    REQUIRE(bytes.size() > 2);
    CHECK(bytes[0] == 0);
    CHECK(bytes[1] == 0);
    CHECK(frames_in(bytes).size() == 1);
}

TEST_CASE("a request is sent three times unchanged, then the link is lost") {
    HostLink link = greeted();
    link.ask(Op::status, std::span<const std::uint8_t>{}, start);
    const auto first = frames_in(link.take_output());
    REQUIRE(first.size() == 1);
    link.tick(start + milliseconds(149));
    CHECK(link.take_output().empty());
    link.tick(start + milliseconds(150));
    CHECK(frames_in(link.take_output()) == first);
    link.tick(start + milliseconds(300));
    CHECK(frames_in(link.take_output()) == first);
    CHECK_FALSE(link.lost());
    link.tick(start + milliseconds(450));
    CHECK(link.lost());
    CHECK_FALSE(link.pending());
    CHECK(link.counters().repeated == 2);
}

TEST_CASE("only the answer to the pending request is accepted") {
    HostLink link = greeted();
    link.ask(Op::status, std::span<const std::uint8_t>{}, start);
    const Frame asked = frames_in(link.take_output()).front();
    Frame answer{.kind = Kind::response, .session = nonce, .seq = asked.seq, .op = asked.op};
    rigproto::append(answer, Reject::busy);
    for (Frame echo : {answer, answer, answer}) {
        static int which = 0;
        if (which == 0) echo.session = 76;
        if (which == 1) echo.seq = static_cast<std::uint8_t>(echo.seq - 1);
        if (which == 2) echo.op = static_cast<std::uint8_t>(Op::clock);
        ++which;
        give(link, echo);
        CHECK(link.pending());
    }
    CHECK(link.counters().stale == 3);
    Frame empty = answer;
    empty.size = 0;
    give(link, empty);
    CHECK(link.pending());
    give(link, answer);
    const auto taken = link.take_answer();
    REQUIRE(taken);
    CHECK(taken->rejection.reject == Reject::busy);
    CHECK_FALSE(link.take_answer());
    // The board repeats its answer on request.
    give(link, answer);
    CHECK_FALSE(link.take_answer());
}

TEST_CASE("an interlock is reported by its name") {
    HostLink link = greeted();
    link.ask(Op::power, rigproto::PowerRequest{1, 0, 1}, start);
    const Frame asked = frames_in(link.take_output()).front();
    Frame answer{.kind = Kind::response, .session = nonce, .seq = asked.seq, .op = asked.op};
    rigproto::append(answer, Reject::interlock);
    answer.bytes[answer.size++] = static_cast<std::uint8_t>(rigproto::Interlock::no_card);
    give(link, answer);
    CHECK(link.take_answer()->rejection == rigproto::Rejection{Reject::interlock, rigproto::Interlock::no_card});
}

TEST_CASE("events are delivered once and in order, and acknowledged only when stored") {
    HostLink link = greeted(5);
    for (const std::uint32_t id : {6U, 5U, 5U, 6U, 8U, 7U}) give(link, event(id));
    CHECK(told(link) == std::vector<std::uint32_t>{5, 6, 7});
    CHECK(link.take_output().empty());
    link.acknowledge(7);
    CHECK(frames_in(link.take_output()).size() == 1);
    // The ack was lost, so the board repeats the event.
    give(link, event(6));
    const auto again = frames_in(link.take_output());
    REQUIRE(again.size() == 1);
    CHECK(rigproto::decode<rigproto::EventAck>(again[0].payload())->id == 7);
    CHECK(told(link).empty());
}

TEST_CASE("events before HELLO, of another session or without a header are dropped") {
    HostLink early(nonce);
    give(early, event(1));
    CHECK(told(early).empty());
    HostLink link = greeted();
    give(link, event(1, 76));
    Frame headless = event(1);
    headless.size = 3;
    give(link, headless);
    CHECK(told(link).empty());
    CHECK(link.counters().damaged == 1);
    give(link, event(0)); // a progress event
    CHECK(told(link) == std::vector<std::uint32_t>{0});
}

TEST_CASE("STOP does not wait for the pending request and accepts any confirmation") {
    HostLink link = greeted();
    link.ask(Op::status, std::span<const std::uint8_t>{}, start);
    (void)link.take_output();
    link.stop();
    link.stop();
    const auto stops = frames_in(link.take_output());
    REQUIRE(stops.size() == 2);
    CHECK(stops[0].kind == Kind::stop);
    Frame confirmation{.kind = Kind::response, .session = nonce, .seq = stops[0].seq};
    rigproto::append(confirmation, Reject::none);
    rigproto::append(confirmation, rigproto::StatusReply{.fault = rigproto::Fault::stopped});
    give(link, confirmation);
    const auto stopped = link.take_stopped();
    REQUIRE(stopped);
    CHECK(stopped->fault == rigproto::Fault::stopped);
    CHECK(link.pending());
}
