// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/port/rig_log.hpp"

#include "tests/catch.hpp"

using namespace mediarig::rig;
namespace rigproto = mediarig::rigproto;
using State = LoggedJob::State;
using rigproto::Fault;

TEST_CASE("a pocket is empty if its newest job took the card away") {
    constexpr Pocket here{4}, elsewhere{5};
    constexpr PortIndex reader{0};
    struct Row {
        const char* what;
        std::vector<std::pair<Operation, std::pair<State, Fault>>> newest_first;
        bool empty;
    };
    constexpr std::pair done{State::done, Fault::none};
    constexpr std::pair refused{State::refused, Fault::none};
    const Load out{here, reader};
    const Unload in{reader, here};
    const Row rows[] = {
        {"nothing is known", {}, false},
        {"the card was loaded", {{out, done}}, true},
        {"the card was loaded, and other jobs followed",
         {{Home{}, done}, {Load{elsewhere, PortIndex{1}}, done}, {out, done}},
         true},
        {"the card was loaded and brought back", {{in, done}, {out, done}}, false},
        {"the card was brought back and loaded again", {{out, done}, {in, done}, {out, done}}, true},
        {"another card was brought back", {{Unload{PortIndex{1}, elsewhere}, done}, {out, done}}, true},
        {"the card went into a bin", {{Unload{reader, rigproto::Bin::pass}, done}, {out, done}}, true},
        {"the unload was refused", {{in, refused}, {out, done}}, true},
        {"the card did not come out of its reader", {{in, {State::failed, Fault::eject_failed}}, {out, done}}, true},
        {"the cup did not grip the card in its reader", {{in, {State::failed, Fault::pick_missed}}, {out, done}}, true},
        {"the card was lost on its way back", {{in, {State::failed, Fault::jam}}, {out, done}}, false},
        {"power was lost on its way back", {{in, {State::unknown, Fault::none}}, {out, done}}, false},
        {"the cup did not grip the card in its pocket", {{out, {State::failed, Fault::pick_missed}}}, false},
        {"the card did not go into the reader", {{out, {State::failed, Fault::insert_failed}}}, false},
        {"the card was read on the nest and brought back", {{Identify{here}, done}, {out, done}}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        std::vector<LoggedJob> jobs;
        auto id = static_cast<std::uint32_t>(20 + row.newest_first.size());
        const std::uint32_t begun = id;
        for (const auto& [what, end] : row.newest_first)
            jobs.push_back({.job = id--, .intent = {.what = what}, .state = end.first, .fault = end.second});
        CHECK(unloaded_by_rig(jobs, begun, here) == row.empty);
        // The board never began a refused job, and after a cold start it has begun no job.
        CHECK(unloaded_by_rig(jobs, 0, here) == row.empty);
        // Another host has sent requests since.
        CHECK_FALSE(unloaded_by_rig(jobs, begun + 1, here));
    }
}

TEST_CASE("a pocket does not count as empty after jobs of another host") {
    const std::vector<LoggedJob> gap{
        {.job = 9, .intent = {.what = Home{}}, .state = State::done},
        {.job = 7, .intent = {.what = Load{Pocket{4}, PortIndex{0}}}, .state = State::done}};
    CHECK_FALSE(unloaded_by_rig(gap, 9, Pocket{4}));
}
