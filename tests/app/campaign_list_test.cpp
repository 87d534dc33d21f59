// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/campaign_list.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <fstream>

#include "host/app/campaigns.hpp"
#include "host/app/files/paths.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::app;
using store::ListedCampaign;

namespace {

ListedCampaign listed_campaign(std::uint64_t number, const std::string& id, const std::string& name,
                               std::vector<store::ListedDevice> devices = {}) {
    ListedCampaign made;
    made.number = number;
    made.id = id;
    made.name = name;
    made.devices = std::move(devices);
    return made;
}

store::ListedDevice device(const std::string& key, const std::string& name, const std::string& serial) {
    store::ListedDevice made;
    made.key = key;
    made.name = name;
    made.serial = serial;
    return made;
}

} // namespace

TEST_CASE("a campaign is found by number, name, device, id or the word last") {
    const std::vector<ListedCampaign> campaigns{
        listed_campaign(13, "01a3-eeee", "01a2-cccc"), // the name of this campaign is the id of another campaign
        listed_campaign(12, "01a2-cccc", "lot 17", {device("usb-3", "slot 3", "BEEF")}),
        listed_campaign(7, "01a2-bbbb", "camera", {device("usb-2", "card", "BEEF"), device("usb-3", "slot 3", "F00D")}),
        listed_campaign(3, "0193-aaaa", "lot 17"),
    };
    struct Case {
        std::string word;
        std::uint64_t number; ///< 0: no match
    };
    const Case cases[] = {
        {"", 13},       {"last", 13},  {"01a2-cccc", 12}, {"12", 12},     {"7", 7},    {"3", 3},
        {"lot 17", 12}, {"camera", 7}, {"usb-2", 7},      {"usb-3", 12},  {"card", 7}, {"BEEF", 12},
        {"F00D", 7},    {"0193", 3},   {"01a2-bbbb", 7},  {"01a2-c", 12}, {"01a2", 0}, {"1", 0},
        {"lot", 0},     {"nobody", 0}, {"cam…", 7},       {"lot…", 0},    {"…", 0},
    };
    for (const Case& each : cases) {
        CAPTURE(each.word);
        const auto found = choose_campaign(campaigns, each.word);
        if (each.number == 0) {
            REQUIRE_FALSE(found);
            CHECK(found.error().code == Errc::bad_request);
        } else {
            REQUIRE(reason(found) == "success");
            CHECK(found->number == each.number);
        }
    }
    CHECK_THAT(reason(choose_campaign(campaigns, "01a2")), ContainsSubstring("the ids of 2 campaigns"));
    // A name that is shortened as in the list.
    CHECK(reason(choose_campaign(campaigns, "lot…")) ==
          "the names of 2 campaigns begin with 'lot': give the number that 'mediarig campaigns' shows");
    CHECK(reason(choose_campaign({}, "last")) == "the store contains no campaign: run a campaign first");
}

TEST_CASE("deletion of a copied campaign keeps the lab media of the original") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db", copy = scratch / "copy.db";
    const store::CampaignRecord record{.id = "0193b4c1-7a2e", .name = "lot 17"};
    REQUIRE(reason((*open_results(store))->begin(record)) == "success");
    REQUIRE(reason((*open_results(store))->end(record.id, store::CampaignState::interrupted, {})) == "success");
    const std::filesystem::path media = lab_media_folder(store, record.id);
    REQUIRE(make_lab_media(media));
    REQUIRE(reason(export_campaign(store, "last", copy, Existing::kept)) == "success");
    CHECK(lab_media_folder(copy, record.id) != media);

    CHECK(reason(delete_campaign(copy, "last")) == "success");
    CHECK(std::filesystem::is_directory(media));
    CHECK(reason(delete_campaign(store, "last")) == "success");
    CHECK_FALSE(std::filesystem::exists(media));
    CHECK(std::filesystem::is_empty(scratch / "lab"));
}

TEST_CASE("deleting a campaign keeps files that its lab did not make") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db";
    const store::CampaignRecord record{.id = "0193b4c1-7a2e", .name = "lot 17"};
    REQUIRE(reason((*open_results(store))->begin(record)) == "success");
    REQUIRE(reason((*open_results(store))->end(record.id, store::CampaignState::interrupted, {})) == "success");
    const std::filesystem::path media = lab_media_folder(store, record.id);
    std::filesystem::create_directories(media);
    for (const auto& each : {media, media.parent_path()})
        std::filesystem::permissions(each, std::filesystem::perms::owner_all);
    std::ofstream(media / "slot-1.card") << "years of work";
    CHECK(reason(delete_campaign(store, "last")) == media.string() + " was not removed: mediarig did not make it");
    CHECK(std::filesystem::exists(media / "slot-1.card"));
    CHECK(reason(make_lab_media(media)).find("was not made by mediarig") != std::string::npos);
}

TEST_CASE("a new store is refused next to a foreign file with a name that SQLite uses") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db";
    for (const char* ending : {"-wal", "-journal", "-shm"}) {
        const std::filesystem::path beside = store.string() + ending;
        std::ofstream(beside) << "years of work";
        CHECK(reason(open_results(store)).starts_with(beside.string() + " is not a file of SQLite"));
        CHECK(std::filesystem::file_size(beside) == 13);
        std::filesystem::remove(beside);
    }
    CHECK(open_results(store));
}

TEST_CASE("a file of one byte is not a store and is neither filled nor replaced") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db", notes = scratch / "notes";
    const store::CampaignRecord record{.id = "0193b4c1-7a2e", .name = "lot 17"};
    REQUIRE(reason((*open_results(store))->begin(record)) == "success");
    REQUIRE(reason((*open_results(store))->end(record.id, store::CampaignState::finished, {})) == "success");
    for (const std::size_t size : {1U, 99U, 511U}) {
        std::ofstream(notes) << std::string(size, 'x');
        CHECK_FALSE(open_results(notes));
        CHECK_FALSE(list_campaigns(notes));
        CHECK_FALSE(export_campaign(store, "last", notes, Existing::replaced));
        CHECK_FALSE(import_campaigns(store, notes));
        CHECK(std::filesystem::file_size(notes) == size);
    }
    std::ofstream(notes).close();
    CHECK(open_results(notes)); // an empty file, as touch creates it
}

TEST_CASE(
    "a file that is not an export is refused on import, and the error does not mention other stores or device logs") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db", file = scratch / "theirs.db";
    const auto said = [&] {
        const auto taken = import_campaigns(store, file);
        REQUIRE_FALSE(taken);
        CHECK(taken.error().code == Errc::bad_request);
        CHECK_THAT(taken.error().detail, !ContainsSubstring("--store") && !ContainsSubstring("logs"));
        return taken.error().detail;
    };
    std::ofstream(file) << "a letter";
    CHECK_THAT(said(),
               ContainsSubstring("(not an SQLite database): name a file that 'mediarig campaigns export' wrote"));
    std::ofstream(file, std::ios::trunc).flush();
    CHECK_THAT(said(), ContainsSubstring("is empty and contains no campaign: name a file that"));
    const std::string id = "0193b4c1-7a2e-7000-8000-000000000001";
    REQUIRE(reason((*open_results(file))->begin({.id = id, .name = "lot", .plan = "not JSON"})) == "success");
    REQUIRE(reason((*open_results(file))->end(id, store::CampaignState::finished, {})) == "success");
    CHECK_THAT(said(), ContainsSubstring("nothing is imported; export it again"));
    CHECK_FALSE(std::filesystem::exists(store));
}

TEST_CASE("a truncated import file is refused with the advice to export or copy it again") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db", file = scratch / "theirs.db";
    const std::string id = "0193b4c1-7a2e-7000-8000-000000000001";
    REQUIRE(reason((*open_results(file))->begin({.id = id, .name = "lot", .plan = "{}"})) == "success");
    REQUIRE(reason((*open_results(file))->end(id, store::CampaignState::finished, {})) == "success");
    for (const std::uintmax_t length : {40'000, 5000, 100}) {
        CAPTURE(length);
        std::filesystem::resize_file(file, length);
        const auto taken = import_campaigns(store, file);
        REQUIRE_FALSE(taken);
        CHECK(taken.error().code == Errc::bad_request);
        CHECK_THAT(taken.error().detail, ContainsSubstring("export it again, or copy it again") &&
                                             !ContainsSubstring("sqlite3_") && !ContainsSubstring("move it away"));
    }
}

TEST_CASE("import removes the resume command of an unfinished campaign and does not change a finished campaign") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db", file = scratch / "theirs.db";
    const std::string open = "0193b4c1-7a2e-7000-8000-000000000001", closed = "0193b4c1-7a2e-7000-8000-000000000002";
    const std::string command = "mediarig run lot.json --resume";
    for (const auto& [id, state] :
         {std::pair{open, store::CampaignState::interrupted}, std::pair{closed, store::CampaignState::finished}}) {
        const auto theirs = open_results(file);
        REQUIRE(theirs);
        store::CampaignRecord record{.id = id, .name = "lot", .plan = "{}"};
        record.origin.resume_with = command;
        REQUIRE(reason((*theirs)->begin(record)) == "success");
        REQUIRE(reason((*theirs)->end(id, state, {})) == "success");
    }
    REQUIRE(import_campaigns(store, file));
    CHECK(open_campaign(store, open)->outline.campaign.origin.resume_with.empty());
    CHECK(open_campaign(store, closed)->outline.campaign.origin.resume_with == command);
    // An export is a complete copy.
    REQUIRE(export_campaign(file, open, scratch / "copy.db", Existing::kept));
    CHECK(open_campaign(scratch / "copy.db", open)->outline.campaign.origin.resume_with == command);
}

TEST_CASE("import refuses numbers that no test can produce") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db", file = scratch / "theirs.db";
    const std::string id = "0193b4c1-7a2e-7000-8000-000000000001";
    {
        const auto theirs = open_results(file);
        REQUIRE(theirs);
        REQUIRE(reason((*theirs)->begin({.id = id, .name = "lot", .plan = "{}"})) == "success");
        store::DeviceRecord device{.key = "one", .name = "one"};
        device.identity.node = "/dev/sdx";
        REQUIRE(reason((*theirs)->put(id, device)) == "success");
        REQUIRE(reason((*theirs)->end(id, store::CampaignState::finished, {})) == "success");
    }
    for (const char* size : {"-1", "'large'"}) {
        CAPTURE(size);
        sqlite3* opened = nullptr;
        REQUIRE(sqlite3_open(file.c_str(), &opened) == SQLITE_OK);
        const std::string change = std::string("UPDATE device SET size_bytes = ") + size;
        CHECK(sqlite3_exec(opened, change.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
        sqlite3_close(opened);
        const auto taken = import_campaigns(store, file);
        REQUIRE_FALSE(taken);
        CHECK(taken.error() ==
              Error{Errc::bad_request, file.string() + ": size_bytes of a device is not a number of 0 or "
                                                       "more: nothing is imported; export it again with "
                                                       "mediarig"});
    }
    CHECK_FALSE(std::filesystem::exists(store));
}

TEST_CASE("import refuses a file whose content no command could show") {
    const tests::Scratch scratch;
    const std::filesystem::path store = scratch / "r.db", file = scratch / "theirs.db";
    REQUIRE(reason((*open_results(file))->begin({.id = "../../x", .name = "lot"})) == "success");
    REQUIRE(reason((*open_results(file))->end("../../x", store::CampaignState::finished, {})) == "success");
    CHECK_THAT(reason(import_campaigns(store, file)), ContainsSubstring("'../../x' is not the id of a campaign"));
    CHECK_FALSE(std::filesystem::exists(store));
}

TEST_CASE("lab_media_folder() stays inside the lab folder of the store for any imported campaign id") {
    const std::filesystem::path lab = "/somewhere/lab/r.db";
    CHECK(lab_media_folder("/somewhere/r.db", "0193b4c1-7a2e") == lab / "0193b4c1-7a2e");
    for (const char* id : {"", ".", "..", "../..", "/home", "a/b"}) {
        CAPTURE(id);
        CHECK(lab_media_folder("/somewhere/r.db", id) == lab / "unnamed");
    }
}
