// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <chrono>
#include <random>
#include <set>

#include "host/store/logged_store.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"
#include "tests/store/child.hpp"
#include "tests/store/database.hpp"
#include "tests/store/logged_lines.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;

namespace {

const std::string killed_campaign = "0193b4c1-7a2e-7d3f-9c41-5be0d1a2f6e7";

using Lines = std::vector<std::string>;

Lines log_of(const std::filesystem::path& directory, const std::string& device) {
    return logged_lines(directory / "devices" / (device + ".jsonl"));
}

bool begins_with(const Lines& lines, const Lines& first) {
    return lines.size() >= first.size() && std::equal(first.begin(), first.end(), lines.begin());
}

/// Expected contents after each number of finished calls, taken from a store that was not killed.
struct Expected {
    std::vector<std::string> store;
    std::map<std::string, std::vector<Lines>> logs;

    Expected() {
        tests::Scratch scratch;
        auto opened = open_logged(scratch.path());
        REQUIRE(opened);
        note(**opened, scratch.path());
        for (const Call& call : scripted_campaign(killed_campaign)) {
            REQUIRE(reason(call.make(**opened)) == "success");
            note(**opened, scratch.path());
        }
    }
    void note(Store& from, const std::filesystem::path& directory) {
        store.push_back(told(from, killed_campaign));
        for (const std::string& device : {first_device, second_device})
            logs[device].push_back(log_of(directory, device));
    }
};

/// Runs the script starting at call `from` and acknowledges each successful call.
int play_from(const std::filesystem::path& directory, std::size_t from, const Child::Acknowledge& acknowledge) {
    auto opened = open_logged(directory);
    if (!opened) return 2;
    const auto calls = scripted_campaign(killed_campaign);
    for (std::size_t i = from; i < calls.size(); ++i) {
        if (!calls[i].make(**opened)) return 3;
        acknowledge();
    }
    return 0;
}

/// Checks that every returned call is present, that the interrupted call is present completely or not at all, and that
/// the rest of the script can be run to the same final contents.
void check_survived(const std::filesystem::path& directory, std::size_t acknowledged, const Expected& expected) {
    CAPTURE(acknowledged);
    const std::size_t last = expected.store.size() - 1;
    const std::size_t next = std::min(acknowledged + 1, last);
    std::size_t state = acknowledged;
    {
        auto opened = open_logged(directory);
        REQUIRE(reason(opened) == "success");
        CHECK(integrity_of(directory / "mediarig.db") == "ok");
        const std::string found = told(**opened, killed_campaign);
        if (found == expected.store[next]) state = next;
        REQUIRE((found == expected.store[acknowledged] || found == expected.store[next]));
        for (const auto& [device, states] : expected.logs) {
            CAPTURE(device);
            const Lines log = log_of(directory, device);
            CHECK(begins_with(log, states[acknowledged]));
            CHECK(begins_with(states[next], log));
        }
    }
    REQUIRE(play_from(directory, state, [] {}) == 0);
    auto opened = open_logged(directory);
    REQUIRE(opened);
    CHECK(told(**opened, killed_campaign) == expected.store.back());
    for (const auto& [device, states] : expected.logs) {
        // If the lines of a call were in the log but its rows not in the store, the log has these lines twice.
        const Lines log = log_of(directory, device);
        CHECK(std::set<std::string>(log.begin(), log.end()) ==
              std::set<std::string>(states.back().begin(), states.back().end()));
    }
}

} // namespace

TEST_CASE("a store killed after any call contains the data of every returned call and can continue") {
    const Expected expected;
    const std::size_t calls = expected.store.size() - 1;
    for (std::size_t n = 0; n <= calls; ++n) {
        CAPTURE(n);
        tests::Scratch scratch(tests::in_memory());
        Child child([&](const Child::Acknowledge& acknowledge) { return play_from(scratch.path(), 0, acknowledge); });
        REQUIRE(child.wait_for(n) >= n);
        child.kill();
        check_survived(scratch.path(), child.acknowledged(), expected);
    }
}

TEST_CASE("a store killed during calls contains the data of every returned call and can continue") {
    constexpr std::size_t wanted_kills = 60;
    const Expected expected;
    const std::size_t calls = expected.store.size() - 1;
    std::mt19937 random(20241119);
    std::size_t kills = 0;
    for (int attempt = 0; attempt < 400 && kills < wanted_kills; ++attempt) {
        tests::Scratch scratch;
        Child child([&](const Child::Acknowledge& acknowledge) { return play_from(scratch.path(), 0, acknowledge); });
        child.wait_for(random() % calls);
        // The kill happens inside one of the next calls, at a moment that depends on the machine.
        const auto moment =
            std::chrono::steady_clock::now() + std::chrono::microseconds(random() % (attempt % 2 == 0 ? 3000 : 300));
        while (std::chrono::steady_clock::now() < moment) {
        }
        if (!child.kill()) continue;
        ++kills;
        check_survived(scratch.path(), child.acknowledged(), expected);
    }
    CHECK(kills == wanted_kills);
}

TEST_CASE("a store killed while its file is created opens again") {
    std::mt19937 random(7);
    std::size_t kills = 0;
    for (int attempt = 0; attempt < 200 && kills < 20; ++attempt) {
        tests::Scratch scratch(tests::in_memory());
        Child child([&](const Child::Acknowledge& acknowledge) {
            acknowledge();
            return open_logged(scratch.path()) ? 0 : 2;
        });
        child.wait_for(1);
        const auto moment = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 8000);
        while (std::chrono::steady_clock::now() < moment) {
        }
        if (!child.kill()) continue;
        ++kills;
        REQUIRE(play_from(scratch.path(), 0, [] {}) == 0);
        CHECK(integrity_of(scratch / "mediarig.db") == "ok");
    }
    CHECK(kills == 20);
}
