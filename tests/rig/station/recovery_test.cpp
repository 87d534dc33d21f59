// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/recovery.hpp"

#include "host/rig/port/rig_log.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::rig;
using State = LoggedJob::State;
using rigproto::Fault;

namespace {

constexpr PortIndex first{0}, second{1}, last{rigproto::port_count - 1};
constexpr Pocket fifth{4}, sixth{5};

LoggedJob load(std::uint32_t job, Pocket from, PortIndex into, State state, Fault fault = Fault::none) {
    return {.job = job, .intent = {.what = Load{from, into}}, .state = state, .fault = fault};
}
LoggedJob unload(std::uint32_t job, PortIndex from, State state, Fault fault = Fault::none,
                 Destination to = rigproto::Bin::fail) {
    return {.job = job, .intent = {.what = Unload{from, to}}, .state = state, .fault = fault};
}
LoggedJob identify(std::uint32_t job, Pocket pocket, State state, Fault fault = Fault::none) {
    return {.job = job, .intent = {.what = Identify{pocket}}, .state = state, .fault = fault};
}

BoardReport ready(std::uint8_t cards, std::uint32_t last_job) {
    BoardReport says;
    says.status.state = rigproto::State::ready;
    says.status.flags = rigproto::flag_safety_closed | rigproto::flag_homed;
    says.status.cards = cards;
    says.status.last_job = last_job;
    return says;
}

BoardReport cold(std::uint8_t cards) {
    BoardReport says = ready(cards, 0);
    says.cold_start = true;
    says.status.state = rigproto::State::unhomed;
    says.status.flags = rigproto::flag_safety_closed;
    return says;
}

} // namespace

TEST_CASE("a reader is empty if its newest job removed the card, inserted no card or reported the reader as empty") {
    const auto said_empty = [](std::uint32_t job, State state) {
        PortSet readers;
        readers.insert(first);
        return LoggedJob{.job = job, .intent = {.what = Empty{readers}}, .state = state};
    };
    struct Row {
        const char* what;
        std::vector<LoggedJob> newest_first;
        bool whole, empty;
    };
    const Row rows[] = {
        {"never used", {}, true, true},
        {"the log does not reach back far enough", {}, false, false},
        {"another reader was used", {load(7, fifth, second, State::done)}, true, true},
        {"loaded", {load(7, fifth, first, State::done)}, true, false},
        {"perhaps loaded", {load(7, fifth, first, State::unknown)}, true, false},
        {"perhaps loaded by a job without a recorded end", {load(7, fifth, first, State::intended)}, true, false},
        {"a load was refused", {load(7, fifth, first, State::refused)}, true, true},
        {"a load did not grip a card", {load(7, fifth, first, State::failed, Fault::pick_missed)}, true, true},
        {"a load put its card back", {load(7, fifth, first, State::failed, Fault::insert_failed)}, true, true},
        {"a load lost its card", {load(7, fifth, first, State::failed, Fault::card_dropped)}, true, false},
        {"unloaded", {unload(8, first, State::done), load(7, fifth, first, State::done)}, false, true},
        {"perhaps unloaded", {unload(8, first, State::unknown), load(7, fifth, first, State::done)}, true, false},
        {"a person has declared it empty",
         {said_empty(9, State::done), load(7, fifth, first, State::unknown)},
         false,
         true},
        {"the board refused to declare it empty",
         {said_empty(9, State::refused), load(7, fifth, first, State::unknown)},
         false,
         false},
        {"filled again", {load(10, fifth, first, State::done), said_empty(9, State::done)}, true, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        CHECK(left_empty(row.newest_first, row.whole, first) == row.empty);
    }
}

TEST_CASE("the position of a card after an interruption follows from last intent, outcome and board state") {
    const std::optional<Pocket> nobody_knows;
    struct Row {
        const char* what;
        std::vector<LoggedJob> newest_first;
        BoardReport board;
        std::vector<FoundCard> cards;
        std::optional<Pocket> adrift;
        bool home;
    };
    const Row rows[] = {
        {"no job was ever done", {}, ready(0, 0), {}, {}, false},
        {"loaded, and detected in its reader",
         {load(7, fifth, first, State::done)},
         ready(1, 7),
         {{first, fifth}},
         {},
         false},
        {"load intended, but never received by the board",
         {load(7, fifth, first, State::intended)},
         ready(0, 6),
         {},
         fifth,
         false},
        {"load intended, and done by the board",
         {load(7, fifth, first, State::intended)},
         ready(1, 7),
         {{first, fifth}},
         {},
         false},
        {"load refused", {load(7, fifth, first, State::refused)}, ready(0, 6), {}, {}, false},
        {"an empty pocket", {load(7, fifth, first, State::failed, Fault::pick_missed)}, ready(0, 7), {}, {}, false},
        {"jammed on the way in", {load(7, fifth, first, State::failed, Fault::jam)}, ready(0, 7), {}, fifth, false},
        {"jammed, but detected in its reader",
         {load(7, fifth, first, State::failed, Fault::jam)},
         ready(1, 7),
         {{first, fifth}},
         {},
         false},
        {"power lost with a card in its reader",
         {load(7, fifth, first, State::done)},
         cold(1),
         {{first, fifth}},
         {},
         true},
        {"power lost while loading", {load(7, fifth, first, State::unknown)}, cold(0), {}, fifth, true},
        {"power lost while loading, after the push",
         {load(7, fifth, first, State::unknown)},
         cold(1),
         {{first, fifth}},
         {},
         true},
        {"power lost on the way to the nest", {identify(7, fifth, State::unknown)}, cold(0), {}, fifth, true},
        {"read and brought back",
         {identify(8, sixth, State::done), load(7, fifth, first, State::done)},
         ready(1, 8),
         {{first, fifth}},
         {},
         false},
        {"no card fetched for the nest",
         {identify(7, fifth, State::failed, Fault::pick_missed)},
         ready(0, 7),
         {},
         {},
         false},
        {"unloaded", {unload(8, first, State::done), load(7, fifth, first, State::done)}, ready(0, 8), {}, {}, false},
        {"unload intended, and the card is still in its reader",
         {unload(8, first, State::intended), load(7, fifth, first, State::done)},
         ready(1, 7),
         {{first, fifth}},
         {},
         false},
        {"unload unfinished, and the card is not in its reader",
         {unload(8, first, State::unknown), load(7, fifth, first, State::done)},
         cold(0),
         {},
         fifth,
         true},
        {"eject failed",
         {unload(8, first, State::failed, Fault::eject_failed), load(7, fifth, first, State::done)},
         ready(1, 8),
         {{first, fifth}},
         {},
         false},
        {"a card put into the reader by hand after an unload",
         {unload(8, first, State::done), load(7, fifth, first, State::done)},
         ready(1, 8),
         {{first, nobody_knows}},
         {},
         false},
        {"a card put into the reader by hand before the first job",
         {},
         ready(1, 0),
         {{first, nobody_knows}},
         {},
         false},
        {"its pocket has received another card since",
         {unload(9, second, State::done, Fault::none, fifth), load(8, sixth, second, State::done),
          load(7, fifth, first, State::done)},
         ready(1, 9),
         {{first, nobody_knows}},
         {},
         false},
        {"jammed on the way out",
         {unload(8, first, State::failed, Fault::jam), load(7, fifth, first, State::done)},
         ready(0, 8),
         {},
         fifth,
         false},
        {"two readers",
         {load(8, sixth, second, State::done), load(7, fifth, first, State::done)},
         ready(3, 8),
         {{first, fifth}, {second, sixth}},
         {},
         false},
        {"the last reader", {load(7, fifth, last, State::done)}, ready(0x80, 7), {{last, fifth}}, {}, false},
        {"another host has used the board since",
         {load(7, fifth, first, State::done)},
         ready(1, 8),
         {{first, nobody_knows}},
         {},
         false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Recovery recovery = recover(row.newest_first, row.board);
        CHECK(recovery.cards == row.cards);
        CHECK(recovery.adrift == row.adrift);
        CHECK(recovery.home == row.home);
        CHECK_FALSE(recovery.person);
        CHECK_FALSE(recovery.clear);
    }
}

TEST_CASE("if a card is missing in its reader, recovery requests the operator before any motion") {
    struct Row {
        const char* what;
        std::vector<LoggedJob> newest_first;
        BoardReport board;
        const char* readers;
    };
    BoardReport remembers = ready(0, 7);
    remembers.status.occupied = 0b10;
    BoardReport other_ledger = remembers;
    other_ledger.status.last_job = 9;
    const Row rows[] = {
        {"the ledger has a finished load", {load(7, fifth, first, State::done)}, ready(0, 7), "reader 1 "},
        {"the same after a cold start of the board", {load(7, fifth, first, State::done)}, cold(0), "reader 1 "},
        {"another reader holds one", {load(7, fifth, second, State::done)}, ready(1, 7), "reader 2 "},
        {"the unload of the card failed",
         {unload(8, second, State::failed, Fault::pick_missed), load(7, fifth, second, State::done)},
         ready(0, 8),
         "reader 2 "},
        {"the board remembers the card", {}, remembers, "reader 2 "},
        {"the board remembers the card, and another host has used the board since", {}, other_ledger, "reader 2 "},
        {"two cards are missing", {load(7, fifth, first, State::done)}, remembers, "reader 1, 2 "},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Recovery recovery = recover(row.newest_first, row.board);
        REQUIRE(recovery.person);
        CHECK_THAT(*recovery.person, ContainsSubstring(row.readers) && ContainsSubstring("is not detected there"));
        CHECK_FALSE(recovery.clear);
        CHECK_FALSE(recovery.home);
        CHECK(recovery.cards.empty());
    }
}

TEST_CASE("if the operator declares a reader empty, the search for its card ends") {
    PortSet looked_into;
    looked_into.insert(first);
    const LoggedJob said{.job = 8, .intent = {.what = Empty{looked_into}}, .state = State::done};
    const LoggedJob refused{.job = 8, .intent = {.what = Empty{looked_into}}, .state = State::refused};
    const LoggedJob in = load(7, fifth, first, State::done);
    CHECK_FALSE(recover({said, in}, ready(0, 8)).person);
    CHECK(recover({refused, in}, ready(0, 8)).person);
    CHECK(recover({said, load(7, fifth, second, State::done)}, ready(0, 8)).person);
    // A card that was inserted later must be detected again.
    CHECK(recover({load(9, sixth, first, State::done), said, in}, ready(0, 9)).person);
}

TEST_CASE("a campaign clears faults that ended a motion, but not faults that may indicate damage") {
    for (const Fault fault : {Fault::estop, Fault::stopped, Fault::jam}) CHECK(may_be_cleared(fault));
    for (const Fault fault : {Fault::card_dropped, Fault::driver_fault, Fault::port_welded, Fault::x_home_not_found,
                              Fault::z_home_stuck, Fault::internal})
        CHECK_FALSE(may_be_cleared(fault));
}

TEST_CASE("a latched fault is cleared and the rig is homed if the cause of the fault is gone") {
    BoardReport says = ready(0, 7);
    says.status.state = rigproto::State::latched;
    says.status.fault = Fault::jam;
    const Recovery recovery = recover({}, says);
    CHECK(recovery.clear);
    CHECK(recovery.home);
}

TEST_CASE("if a position may be obstructed, recovery requests only the operator") {
    BoardReport open = ready(1, 7);
    open.status.state = rigproto::State::latched;
    open.status.flags = rigproto::flag_homed;
    CHECK(recover({}, open).person == "the emergency stop is pressed or a door is open; release it, then continue");
    CHECK_FALSE(recover({}, open).clear);
    BoardReport holding = ready(0, 7);
    holding.status.flags |= rigproto::flag_holding;
    CHECK(recover({}, holding).person == "a card is on the cup; take it off by hand, then continue");
}
