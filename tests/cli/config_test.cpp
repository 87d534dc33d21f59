// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/config.hpp"

#include "tests/catch.hpp"

using namespace mediarig::config;

namespace {

const std::vector<KnownCommand> known{
    {"bench",
     {{.name = "store", .may_default = true, .is_path = true},
      {.name = "engine", .may_default = true},
      {.name = "label", .may_default = true, .is_text = true},
      {.name = "suite", .may_default = true},
      {.name = "confirm"},
      {.name = "force"}}},
    {"lab start", {{.name = "slots", .may_default = true}, {.name = "idle", .may_default = true}}},
    {"run", {{.name = "store", .may_default = true, .is_path = true}, {.name = "quiet", .may_default = true}}},
};

std::string with(const std::string& members) {
    return R"({"mediarig_config": 1, )" + members + "}";
}

std::vector<std::string> faults_of(const std::string& text) {
    const auto read = parse_config(text, known);
    return read ? std::vector<std::string>{} : read.error().lines;
}

} // namespace

TEST_CASE("configuration: settings for all commands come before settings for one command") {
    const auto read = parse_config(with(R"("commands": {"lab start": {"slots": ["usb", "sd"], "idle": 60},
                                                       "bench": {"store": "/b.db"}},
                                           "options": {"store": "/a.db", "quiet": true})"),
                                   known);
    REQUIRE(read);
    CHECK(*read == std::vector<Setting>{{"", "store", {"/a.db"}, "/options/store"},
                                        {"", "quiet", {"true"}, "/options/quiet"},
                                        {"bench", "store", {"/b.db"}, "/commands/bench/store"},
                                        {"lab start", "slots", {"usb", "sd"}, "/commands/lab start/slots"},
                                        {"lab start", "idle", {"60"}, "/commands/lab start/idle"}});
}

TEST_CASE("configuration: a text option accepts any text, and an option with choices refuses other words") {
    const auto read = parse_config(with(R"("commands": {"bench": {"label": "--confirm=/tmp/x"}})"), known);
    REQUIRE(read);
    CHECK(read->front().values == std::vector<std::string>{"--confirm=/tmp/x"});
    CHECK_FALSE(faults_of(with(R"("commands": {"bench": {"engine": "a/b"}})")).empty());
}

TEST_CASE("configuration: an empty file sets nothing") {
    for (const char* text : {"", " \n", R"({"mediarig_config": 1})", R"({"mediarig_config": 1, "options": {}})"}) {
        const auto read = parse_config(text, known);
        REQUIRE(read);
        CHECK(read->empty());
    }
}

TEST_CASE("configuration: each fault is reported with its position and a suggestion for a similar word") {
    struct Row {
        std::string text, fault;
    };
    const Row rows[] = {
        {"{", "line 1"},
        {"[]", "/: must be an object, is an empty list"},
        {"{}", "/mediarig_config: is missing; add it with the value 1"},
        {R"({"mediarig_config": 2})", "/mediarig_config: must be a whole number from 1 to 1, is 2"},
        {with(R"("option": {})"), "/option: unknown member; did you mean \"options\"?"},
        {with(R"("options": {"stroe": "/x"})"), "/options/stroe: unknown member; did you mean \"store\"?"},
        {with(R"("options": {"store": "x.db"})"), "/options/store: must be an absolute path"},
        {with(R"("options": {"suite": "a/b"})"), "/options/suite: must be an absolute path"},
        {with(R"("options": {"engine": null})"), "/options/engine: must be a string, a whole number, true or false"},
        {with(R"("options": {"engine": -1})"), "/options/engine: must be a string, a whole number, true or false"},
        {with(R"("options": {"engine": ""})"), "/options/engine: "},
        {with(R"("options": {"engine": []})"), "/options/engine: must be a list of at least one value"},
        {with(R"("options": {"engine": [[1]]})"), "/options/engine/0: must be a string"},
        {with(R"("commands": {"bnech": {}})"), "/commands/bnech: unknown member; did you mean \"bench\"?"},
        {with(R"("commands": {"bench": {"quiet": true}})"), "/commands/bench/quiet: unknown member"},
        {with(R"("commands": {"bench": {"engine": 1, "engine": 2}})"), "engine"},
        {with(R"("commands": [])"), "/commands: must be an object"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        const auto faults = faults_of(row.text);
        REQUIRE_FALSE(faults.empty());
        CHECK_THAT(faults.front(), ContainsSubstring(row.fault));
    }
}

TEST_CASE(
    "configuration: options without a default, such as the confirmation of an erasure, are refused with the reason") {
    for (const std::string place : {"options", "commands/bench"}) {
        CAPTURE(place);
        const bool all = place == "options";
        const auto text = [&](const std::string& member) {
            return with(all ? "\"options\": {" + member + "}" : "\"commands\": {\"bench\": {" + member + "}}");
        };
        CHECK(faults_of(text(R"("confirm": "BEEF")")) ==
              std::vector<std::string>{"/" + place +
                                       "/confirm: has no default: confirm each erasure on the command line"});
        CHECK(faults_of(text(R"("force": true)")) ==
              std::vector<std::string>{"/" + place +
                                       "/force: has no default: give --force with each command that needs it"});
        // This option is not suggested for a mistyped name.
        CHECK(faults_of(text(R"("confrim": "BEEF")")).front().find("\"confirm\"") == std::string::npos);
    }
}
