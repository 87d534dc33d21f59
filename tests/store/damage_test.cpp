// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads records of a store that another program changed.
#include <filesystem>
#include <string>

#include "tests/catch.hpp"
#include "tests/store/database.hpp"
#include "tests/store/played_store.hpp"

using namespace mediarig;
using namespace mediarig::store;

TEST_CASE_METHOD(PlayedStore, "a record that another program changed is reported as damage with its name") {
    struct Row {
        const char* change;
        const char* why;
    };
    const Row rows[] = {
        {"UPDATE cell SET latency = x'0102'",
         "cell standard.seq_write.4096 of pass m0.r1.exfat.quickbench: its histogram cannot be read"},
        {"UPDATE cell SET series = x'ff'",
         "cell standard.seq_write.4096 of pass m0.r1.exfat.quickbench: its series cannot be read"},
        {"UPDATE cell SET result_json = '{'", "cell standard.seq_write.4096 of pass m0.r1.exfat.quickbench: not JSON"},
        {"UPDATE pass SET job_json = '[]'", "pass m0.r1.exfat.quickbench: "},
        {"UPDATE made_format SET formatted_json = '7'", "the format made by m0.r1.exfat.format: "},
        {"UPDATE made_format SET seen_json = '{'", "the format made by m0.r1.exfat.format: not JSON"},
        {"UPDATE cell SET block_bytes = 'abc'", "cell "},
        {"UPDATE cell SET bytes = -1", "cell "},
        {"UPDATE cell SET elapsed_ns = 0", "cell "},
        {"UPDATE campaign SET state = 'odd'", "campaign "},
        {"UPDATE device SET identity_json = 'null'", "device "},
        {"UPDATE finding SET finding_json = '7'", "a finding on "},
        {"UPDATE fs_check SET check_json = ''", "a check of "},
    };
    play();
    for (const Row& row : rows) {
        CAPTURE(row.change);
        const auto copy = scratch / "copy.db";
        std::filesystem::remove(copy);
        REQUIRE(Database(file).run("VACUUM INTO '" + copy.string() + "'").empty());
        REQUIRE(Database(copy).run(row.change).empty());
        auto damaged = open_store(copy);
        REQUIRE(damaged);
        const auto view = (*damaged)->load(campaign);
        REQUIRE_FALSE(view);
        CHECK(view.error().code == Errc::store_failed);
        CHECK_THAT(view.error().detail, ContainsSubstring(copy.string() + ": the store is damaged at " + row.why));
        CHECK_THAT(view.error().detail, ContainsSubstring("the device logs next to the store contain every record"));
    }
}

TEST_CASE_METHOD(PlayedStore, "a raw log with a missing or damaged chunk is not returned") {
    play();
    const std::string pass = "m0.r1.exfat.quickbench", cell = "standard.seq_write.4096";
    const std::string why =
        file.string() + ": the store is damaged at the raw log of cell " + cell + " of pass " + pass +
        ": a chunk of samples cannot be read; the device logs next to the store contain every record";
    REQUIRE(Database(file).run("UPDATE sample_chunk SET data = x'80' WHERE first = 8192").empty());
    CHECK(reason(store->raw_log(campaign, pass, cell)) == why);
    REQUIRE(Database(file).run("DELETE FROM sample_chunk WHERE first = 0").empty());
    CHECK(reason(store->raw_log(campaign, pass, cell)) == why);
}

TEST_CASE_METHOD(PlayedStore, "a journal entry with an unknown state is reported as damage") {
    play();
    REQUIRE(Database(file).run("UPDATE journal SET state = 'odd'").empty());
    CHECK_THAT(reason(store->steps(campaign)), ContainsSubstring("\"odd\" is not one of started, done, failed"));
}
