// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <sstream>

#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/store/child.hpp"
#include "tests/store/database.hpp"
#include "tests/store/scratch.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;

namespace {

constexpr const char* campaign = "0193b4c1-7a2e-7d3f-9c41-5be0d1a2f6e7";

/// A store of an older version as that version wrote it: the golden files are never made anew.
std::filesystem::path old_store(const Scratch& scratch, int version) {
    const std::string name = std::to_string(version);
    std::ifstream golden(std::string(MEDIARIG_GOLDEN_DIR) + "/store/schema-" + name + ".sql");
    REQUIRE(golden);
    std::stringstream sql;
    sql << golden.rdbuf();
    const auto file = scratch / ("version" + name + ".db");
    Database database(file);
    REQUIRE(database.run(sql.str()).empty());
    REQUIRE(database.one("PRAGMA user_version") == name);
    return file;
}

std::filesystem::path version_1(const Scratch& scratch) {
    return old_store(scratch, 1);
}

std::vector<std::string> schema_of(const std::filesystem::path& file) {
    return Database(file).run("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name");
}

} // namespace

TEST_CASE("a store of an older version is brought up to date and holds what it held") {
    Scratch scratch;
    const int version = GENERATE(1, 2, 3);
    CAPTURE(version);
    const auto file = old_store(scratch, version);
    const auto store = open_store(file);
    REQUIRE(reason(store) == "success");
    CHECK(Database(file).one("PRAGMA user_version") == "4");
    CHECK(integrity_of(file) == "ok");

    const auto view = (*store)->load(campaign);
    REQUIRE(reason(view) == "success");
    REQUIRE(view->devices.size() == 2);
    CHECK(view->devices[0].passes[0].cells[1].latency == scripted_cell("", 8'192, 23).latency);
    CHECK((*store)->raw_log(campaign, "m0.r1.exfat.quickbench", "standard.seq_read.4096") ==
          scripted_cell("", 8'192, 23).raw_log);
    CHECK(view->devices[1].verdict->grade == measure::Grade::fake);
    CHECK((*store)->steps(campaign)->size() == 3);
    CHECK(Database(file).one("SELECT count(*) FROM measurement") == "4");
}

TEST_CASE("a migrated store has the schema of a new one, so a released migration has not been changed") {
    Scratch scratch;
    const auto old_file = old_store(scratch, GENERATE(1, 2, 3));
    const auto new_file = scratch / "new.db";
    REQUIRE(open_store(old_file));
    REQUIRE(open_store(new_file));
    CHECK(schema_of(old_file) == schema_of(new_file));
    CHECK(schema_of(new_file).size() > 10);
}

TEST_CASE("a migrated store takes new records") {
    Scratch scratch;
    const auto store = open_store(version_1(scratch));
    REQUIRE(store);
    for (const Call& call : scripted_campaign("new")) REQUIRE(reason(call.make(**store)) == "success");
    CHECK((*store)->campaigns()->size() == 2);
}

TEST_CASE("a migration that fails halfway leaves the store as it was") {
    Scratch scratch;
    const auto file = version_1(scratch);
    // The second statement of version 2 will find its name taken.
    REQUIRE(Database(file).run("CREATE TABLE measurement (x)").empty());
    const auto before = schema_of(file);
    const auto store = open_store(file);
    REQUIRE_FALSE(store);
    CHECK(store.error().code == Errc::store_failed);
    CHECK_THAT(store.error().detail,
               ContainsSubstring("bringing the store up to date: ") && ContainsSubstring(file.string()));
    CHECK(Database(file).one("PRAGMA user_version") == "1");
    CHECK(schema_of(file) == before);
}

TEST_CASE("two processes that find the same old store migrate it once") {
    for (int round = 0; round < 10; ++round) {
        Scratch scratch(in_memory());
        const auto file = version_1(scratch);
        const auto open = [&](const Child::Acknowledge&) { return open_store(file) ? 0 : 1; };
        Child first(open), second(open);
        CHECK(first.join() == 0);
        CHECK(second.join() == 0);
        CHECK(Database(file).one("PRAGMA user_version") == "4");
        CHECK(integrity_of(file) == "ok");
    }
}
