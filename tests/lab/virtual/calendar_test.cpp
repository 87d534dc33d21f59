// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/calendar.hpp"

#include <linux/um_timetravel.h>

#include <cstring>
#include <vector>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using namespace std::chrono_literals;

namespace {

std::string message(std::uint32_t operation, std::uint32_t sequence, std::uint64_t time = 0) {
    const um_timetravel_msg wire{operation, sequence, time};
    return {reinterpret_cast<const char*>(&wire), sizeof wire};
}

} // namespace

TEST_CASE("the calendar acknowledges each message of the guest with its number") {
    Calendar calendar(7s);
    for (const std::uint32_t operation :
         {UM_TIMETRAVEL_START, UM_TIMETRAVEL_REQUEST, UM_TIMETRAVEL_WAIT, UM_TIMETRAVEL_UPDATE})
        CHECK(calendar.received(message(operation, 40 + operation, 3)) == message(UM_TIMETRAVEL_ACK, 40 + operation));
    CHECK(calendar.received(message(UM_TIMETRAVEL_GET_TOD, 9)) == message(UM_TIMETRAVEL_ACK, 9, 7'000'000'000));
    CHECK(calendar.received(message(UM_TIMETRAVEL_ACK, 5)) == "");
}

TEST_CASE("a waiting guest gets the time that it requested and a slice, the limit first") {
    Calendar calendar(0s);
    REQUIRE(calendar.received(message(UM_TIMETRAVEL_REQUEST, 1, 5'000'000)));
    CHECK_FALSE(calendar.waiting());
    REQUIRE(calendar.received(message(UM_TIMETRAVEL_WAIT, 2)));
    REQUIRE(calendar.waiting());
    CHECK(calendar.grant() ==
          message(UM_TIMETRAVEL_FREE_UNTIL, 1, 15'000'000) + message(UM_TIMETRAVEL_RUN, 2, 5'000'000));
    CHECK_FALSE(calendar.waiting());
    CHECK(calendar.now() == 5ms);
    CHECK(calendar.received(message(UM_TIMETRAVEL_GET, 3)) == message(UM_TIMETRAVEL_ACK, 3, 5'000'000));
}

TEST_CASE("a guest does not wait between a transfer and its acknowledgement") {
    Calendar calendar(0s);
    REQUIRE(calendar.received(message(UM_TIMETRAVEL_REQUEST, 1, 5'000'000) + message(UM_TIMETRAVEL_WAIT, 2)));
    CHECK(calendar.synchronise() == message(UM_TIMETRAVEL_FREE_UNTIL, 1, 0));
    CHECK_FALSE(calendar.waiting());
    CHECK(calendar.received(message(UM_TIMETRAVEL_REQUEST, 3, 200)) == message(UM_TIMETRAVEL_ACK, 3));
    CHECK_FALSE(calendar.waiting());
    CHECK(calendar.received(message(UM_TIMETRAVEL_ACK, 1)) == "");
    REQUIRE(calendar.waiting());
    CHECK(calendar.grant() == message(UM_TIMETRAVEL_FREE_UNTIL, 2, 10'000'200) + message(UM_TIMETRAVEL_RUN, 3, 200));
}

TEST_CASE("a guest without a timer has no event") {
    Calendar calendar(0s);
    REQUIRE(calendar.received(message(UM_TIMETRAVEL_REQUEST, 1, 900)));
    CHECK_FALSE(calendar.has_no_event());
    REQUIRE(calendar.received(message(UM_TIMETRAVEL_REQUEST, 2, 0x7FFFFFFFFFFFFFFF)));
    CHECK(calendar.has_no_event());
}

TEST_CASE("of two requests before a wait the last one counts") {
    Calendar calendar(0s);
    REQUIRE(calendar.received(message(UM_TIMETRAVEL_REQUEST, 1, 900) + message(UM_TIMETRAVEL_REQUEST, 2, 300) +
                              message(UM_TIMETRAVEL_WAIT, 3)));
    REQUIRE(calendar.waiting());
    (void)calendar.grant();
    CHECK(calendar.now() == 300ns);
}

TEST_CASE("a message in pieces is one message") {
    Calendar calendar(0s);
    const std::string whole = message(UM_TIMETRAVEL_WAIT, 4);
    CHECK(calendar.received(whole.substr(0, 7)) == "");
    CHECK_FALSE(calendar.waiting());
    CHECK(calendar.received(whole.substr(7)) == message(UM_TIMETRAVEL_ACK, 4));
    CHECK(calendar.waiting());
}

TEST_CASE("an unknown message is an error of the rig") {
    Calendar calendar(0s);
    const auto answer = calendar.received(message(77, 1));
    REQUIRE_FALSE(answer);
    CHECK(answer.error() == Error{Errc::rig_fault, "the guest's kernel sent an unknown time message 77"});
}
