// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "host/store/logged_store.hpp"
#include "host/store/sqlite/connection.hpp"
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

int play(const std::filesystem::path& directory, const std::string& campaign, const Child::Acknowledge& acknowledge) {
    auto opened = open_logged(directory);
    if (!opened) return 2;
    for (const Call& call : scripted_campaign(campaign)) {
        if (!call.make(**opened)) return 3;
        acknowledge();
    }
    return 0;
}

std::string id_of(int process, int round) {
    return "process-" + std::to_string(process) + "-" + std::to_string(round);
}

} // namespace

TEST_CASE("processes that create and write the same store at the same time lose no record") {
    constexpr int processes = 4, rounds = 3;
    tests::Scratch scratch;
    std::vector<std::unique_ptr<Child>> children;
    for (int process = 0; process < processes; ++process)
        children.push_back(std::make_unique<Child>([&, process](const Child::Acknowledge& acknowledge) {
            for (int round = 0; round < rounds; ++round)
                if (const int status = play(scratch.path(), id_of(process, round), acknowledge); status != 0)
                    return status;
            return 0;
        }));
    for (auto& child : children) CHECK(child->join() == 0);

    CHECK(integrity_of(scratch / "mediarig.db") == "ok");
    tests::Scratch alone;
    REQUIRE(play(alone.path(), "alone", [] {}) == 0);
    const std::string expected = told(**open_store(alone / "mediarig.db"), "alone");
    const auto store = open_store(scratch / "mediarig.db");
    REQUIRE(store);
    CHECK((*store)->campaigns()->size() == processes * rounds);
    for (const std::string& device : {first_device, second_device}) {
        CAPTURE(device);
        const auto name = "devices/" + device + ".jsonl";
        const auto logged = logged_lines(scratch / name), logged_alone = logged_lines(alone / name);
        CHECK(logged.size() == processes * rounds * logged_alone.size());
        for (int process = 0; process < processes; ++process)
            for (int round = 0; round < rounds; ++round) {
                std::vector<std::string> own;
                for (const std::string& line : logged)
                    if (const std::string id = id_of(process, round); line.find('"' + id + '"') != std::string::npos)
                        own.push_back(replaced(line, id, "alone"));
                CHECK(own == logged_alone);
            }
    }
    for (int process = 0; process < processes; ++process)
        for (int round = 0; round < rounds; ++round) {
            const std::string id = id_of(process, round);
            CAPTURE(id);
            CHECK(replaced(told(**store, id), id, "alone") == expected);
        }
}

TEST_CASE("a reader during a campaign reads only complete states, in order") {
    const std::string campaign = "0193b4c1";
    std::vector<std::string> states{"nothing"};
    {
        tests::Scratch scratch(tests::in_memory());
        auto store = open_store(scratch / "mediarig.db");
        REQUIRE(store);
        for (const Call& call : scripted_campaign(campaign)) {
            REQUIRE(call.make(**store));
            const auto view = (*store)->load(campaign);
            REQUIRE(view);
            states.push_back(told(*view));
        }
    }
    tests::Scratch scratch;
    const auto store = open_store(scratch / "mediarig.db");
    REQUIRE(store);
    Child writer([&](const Child::Acknowledge& acknowledge) { return play(scratch.path(), campaign, acknowledge); });
    std::size_t seen = 0;
    while (seen + 1 < states.size()) {
        const auto view = (*store)->load(campaign);
        if (!view) REQUIRE(view.error().code == Errc::bad_request);
        const std::string now = view ? told(*view) : "nothing";
        const auto found = std::find(states.begin() + static_cast<std::ptrdiff_t>(seen), states.end(), now);
        REQUIRE(found != states.end());
        seen = static_cast<std::size_t>(found - states.begin());
    }
    CHECK(writer.join() == 0);
}

TEST_CASE("a writer waits up to 30 s for another writer") {
    const tests::Scratch scratch;
    const auto connection = Connection::open(scratch.path() / "store.db");
    REQUIRE(reason(connection) == "success");
    int milliseconds = 0;
    (*connection)->sql() << "PRAGMA busy_timeout", soci::into(milliseconds);
    CHECK(milliseconds == 30'000);
}
