// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rig/desk.hpp"

using namespace mediarig::rig;
using mediarig::Errc;
using mediarig::rigproto::Op;

TEST_CASE("a board from before the nest is understood, and what it lacks is said") {
    Desk desk;
    desk.board.hello.minor = 0;
    desk.open();
    CHECK(desk.home() == "done");
    const char* const lacks = "the rig's firmware speaks version 1.0 of the protocol, which has no identity nest";
    const auto read = desk.bench.run(desk.rig->read_nest());
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Errc::rig_fault);
    CHECK_THAT(read.error().detail, ContainsSubstring(lacks));
    const auto identified = desk.bench.run(desk.rig->identify(0));
    REQUIRE_FALSE(identified);
    CHECK_THAT(identified.error().detail, ContainsSubstring(lacks));
    const auto told = desk.bench.run(desk.rig->nest());
    REQUIRE_FALSE(told);
    CHECK_THAT(told.error().detail, ContainsSubstring(lacks));
    CHECK(desk.board.count(Op::nest_read) + desk.board.count(Op::identify) + desk.board.count(Op::nest) == 0);
}
