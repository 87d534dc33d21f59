// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/archive.hpp"

#include <fstream>

#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"
#include "tests/store/database.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;

namespace {

const std::string one = "0193b4c1-7a2e-7d3f-9c41-5be0d1a2f6e7", two = "0193b4c2-0000-7000-8000-000000000002",
                  three = "0193b4c3-0000-7000-8000-000000000003";

void keep(const std::filesystem::path& file, const std::string& id) {
    auto opened = open_store(file);
    REQUIRE(reason(opened) == "success");
    for (const Call& call : scripted_campaign(id)) {
        INFO(call.what);
        REQUIRE(reason(call.make(**opened)) == "success");
    }
}

std::string magic_length(const std::filesystem::path& file, const std::string& id) {
    auto opened = open_store_read_only(file);
    REQUIRE(reason(opened) == "success");
    return told(**opened, id);
}

Archive opened(const std::filesystem::path& file) {
    auto archive = Archive::open(file);
    REQUIRE(reason(archive) == "success");
    return std::move(*archive);
}

std::vector<std::pair<std::uint64_t, std::string>> numbers_in(Archive& archive) {
    const auto campaigns = archive.list();
    REQUIRE(reason(campaigns) == "success");
    std::vector<std::pair<std::uint64_t, std::string>> numbers;
    for (const ListedCampaign& campaign : *campaigns) numbers.emplace_back(campaign.number, campaign.id);
    return numbers;
}

using Numbers = std::vector<std::pair<std::uint64_t, std::string>>;

} // namespace

TEST_CASE("list() returns campaigns with increasing numbers, their media and their results") {
    const tests::Scratch scratch;
    keep(scratch / "s.db", one);
    Archive archive = opened(scratch / "s.db");
    const auto campaigns = archive.list();
    REQUIRE(reason(campaigns) == "success");
    REQUIRE(campaigns->size() == 1);
    const ListedCampaign& campaign = campaigns->front();
    CHECK(campaign.number == 1);
    CHECK(campaign.id == one);
    CHECK(campaign.name == "lot 17");
    CHECK(campaign.state == CampaignState::finished);
    REQUIRE(campaign.devices.size() == 2);
    CHECK(campaign.devices[0].key == first_device);
    CHECK(campaign.devices[1].key == second_device);
    CHECK(campaign.devices[0].grade);
}

TEST_CASE("list() sorts media in the order of the plan, or by slot for a plan with all slots") {
    const tests::Scratch scratch;
    const auto begun = [&](const std::string& id, const std::string& plan, std::vector<DeviceRecord> media) {
        auto store = open_store(scratch / "s.db");
        REQUIRE(reason(store) == "success");
        REQUIRE(reason((*store)->begin({.id = id, .name = "lot", .plan = plan})) == "success");
        for (DeviceRecord& medium : media) {
            medium.identity.node = "/dev/sdx";
            REQUIRE(reason((*store)->put(id, medium)) == "success");
        }
    };
    // The plans are as `nlohmann::json::dump()` writes them: a name with a quote, and a name that is a prefix of
    // another name.
    begun(one, R"({"media":[{"name":"card01"},{"name":"card\"02"},{"name":"card0"}],"name":"lot"})",
          {{.key = "c", .name = "card0"}, {.key = "b", .name = "card\"02"}, {.key = "a", .name = "card01"}});
    begun(two, R"({"slots":{"numbers":"all"}})",
          {{.key = "c", .name = "slot-10", .slot = "10"},
           {.key = "b", .name = "slot-9", .slot = "9"},
           {.key = "a", .name = "slot-1", .slot = "1"}});
    const auto store = open_store(scratch / "s.db");
    REQUIRE(reason(store) == "success");
    for (const std::string& campaign : {one, two}) {
        const auto view = (*store)->outline(campaign);
        const auto grades = (*store)->grades(campaign);
        const auto list = opened(scratch / "s.db").list(campaign);
        REQUIRE((view && grades && list));
        std::string outline, graded, listed;
        for (const DeviceView& device : view->devices) outline += device.device.key;
        for (const DeviceGrade& device : *grades) graded += device.device;
        for (const ListedDevice& device : list->front().devices) listed += device.key;
        CHECK(outline == "abc");
        CHECK(graded == "abc");
        CHECK(listed == "abc");
    }
}

TEST_CASE("remove() deletes all records of only one campaign and keeps its number reserved") {
    const tests::Scratch scratch;
    const std::filesystem::path file = scratch / "s.db";
    keep(file, one);
    keep(file, two);
    const std::string before = magic_length(file, one);
    Archive archive = opened(file);
    REQUIRE(reason(archive.remove(two)) == "success");
    CHECK(numbers_in(archive) == Numbers{{1, one}});
    CHECK(magic_length(file, two) == "nothing");
    CHECK(magic_length(file, one) == before);
    CHECK(integrity_of(file) == "ok");
    CHECK(reason(archive.remove(two)) == "the store holds no campaign '" + two + "'");
    keep(file, three);
    CHECK(numbers_in(archive) == Numbers{{3, three}, {1, one}});

    REQUIRE(reason(archive.remove(one)) == "success");
    REQUIRE(reason(archive.remove(three)) == "success");
    Database database(file);
    for (const char* table : {"campaign", "journal", "device", "pass", "made_format", "cell", "sample_chunk", "finding",
                              "fs_check", "detachment", "untested"}) {
        CAPTURE(table);
        CHECK(database.one(std::string("SELECT count(*) FROM ") + table) == "0");
    }
}

TEST_CASE("take_over() copies a complete campaign and keeps the existing campaigns") {
    const tests::Scratch scratch;
    keep(scratch / "from.db", one);
    keep(scratch / "from.db", two);
    keep(scratch / "to.db", three);
    const std::string carried = magic_length(scratch / "from.db", two), held = magic_length(scratch / "to.db", three);
    Archive to = opened(scratch / "to.db");
    auto from = Archive::open_to_read(scratch / "from.db");
    REQUIRE(reason(from) == "success");
    REQUIRE(reason(to.take_over(*from, two, CampaignOrigin::here)) == "success");
    CHECK(magic_length(scratch / "to.db", two) == carried);
    CHECK(magic_length(scratch / "to.db", three) == held);
    CHECK(magic_length(scratch / "to.db", one) == "nothing");
    CHECK(integrity_of(scratch / "to.db") == "ok");
    CHECK_THAT(reason(to.take_over(*from, two, CampaignOrigin::here)),
               ContainsSubstring("campaign " + two + " is in "));
    CHECK(reason(to.take_over(*from, "nobody", CampaignOrigin::here)) == "the store holds no campaign 'nobody'");
    // Copy the campaign back into the first store after its removal there.
    Archive back = opened(scratch / "from.db");
    REQUIRE(reason(back.remove(two)) == "success");
    REQUIRE(reason(back.take_over(to, two, CampaignOrigin::here)) == "success");
    CHECK(magic_length(scratch / "from.db", two) == carried);
    CHECK(numbers_in(back) == Numbers{{3, two}, {1, one}});
}

TEST_CASE("Number::given_back reuses the number of a removed campaign only if it was the newest") {
    const tests::Scratch scratch;
    const std::filesystem::path file = scratch / "s.db";
    keep(file, one);
    keep(file, two);
    Archive archive = opened(file);
    REQUIRE(reason(archive.remove(two, Number::given_back)) == "success");
    keep(file, three);
    CHECK(numbers_in(archive) == Numbers{{2, three}, {1, one}});
    REQUIRE(reason(archive.remove(one, Number::given_back)) == "success");
    keep(file, two);
    CHECK(numbers_in(archive) == Numbers{{3, two}, {2, three}});
}

TEST_CASE("the newest campaign is the last campaign that was added, even if the clock was set back") {
    const tests::Scratch scratch;
    {
        auto store = open_store(scratch / "s.db");
        REQUIRE(reason(store) == "success");
        CampaignRecord first{.id = one, .name = "before"}, second{.id = two, .name = "after the clock was set back"};
        first.started = TimePoint(std::chrono::hours(1000));
        REQUIRE(reason((*store)->begin(first)) == "success");
        REQUIRE(reason((*store)->begin(second)) == "success");
        CHECK((*store)->campaigns()->front().id == two);
    }
    Archive archive = opened(scratch / "s.db");
    CHECK(numbers_in(archive) == Numbers{{2, two}, {1, one}});
}

TEST_CASE("opening an empty file for reading does not create a store") {
    const tests::Scratch scratch;
    const std::filesystem::path file = scratch / "empty.db";
    std::ofstream(file).flush();
    CHECK_THAT(reason(open_store_read_only(file)), ContainsSubstring("is empty and contains no campaign"));
    CHECK_THAT(reason(Archive::open_to_read(file)), ContainsSubstring("is empty and contains no campaign"));
    CHECK(std::filesystem::file_size(file) == 0);
}

TEST_CASE("check_tables_of() refuses a store with a foreign trigger") {
    const tests::Scratch scratch;
    keep(scratch / "mine.db", one);
    keep(scratch / "theirs.db", two);
    Archive mine = opened(scratch / "mine.db");
    {
        Archive theirs = opened(scratch / "theirs.db");
        CHECK(reason(mine.check_tables_of(theirs)) == "success");
    }
    Database(scratch / "theirs.db").run("CREATE TRIGGER t AFTER INSERT ON cell BEGIN DELETE FROM campaign; END");
    Archive theirs = opened(scratch / "theirs.db");
    CHECK_THAT(reason(mine.check_tables_of(theirs)),
               ContainsSubstring("has tables or triggers that a store does not have"));
}
