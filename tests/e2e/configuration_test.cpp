// SPDX-License-Identifier: GPL-3.0-or-later
/// A configuration file sets defaults for options of the command line.
#include <algorithm>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

json config(const json& options, const json& commands = json::object()) {
    return {{"mediarig_config", 1}, {"options", options}, {"commands", commands}};
}

/// A folder with separate configuration files.
struct Configured {
    Folder folder;
    std::string file = (folder / "home") / "mediarig" / "config.json";

    void user_has(const json& text) const {
        std::filesystem::create_directories(std::filesystem::path(file).parent_path());
        write_file(file, text.dump());
    }
    [[nodiscard]] ProgramOutput call(const Words& words, const Words& more = {}) const {
        Words environment{"MEDIARIG_CONFIG=", "XDG_CONFIG_HOME=" + (folder / "home").string()};
        environment.insert(environment.end(), more.begin(), more.end());
        return call_mediarig(words, folder.path(), environment);
    }
};

} // namespace

TEST_CASE("configuration: the command line overrides the environment, and the environment overrides the file") {
    const Configured here;
    const std::string by_file = here.folder / "file.db", by_environment = here.folder / "environment.db",
                      by_words = here.folder / "words.db";
    here.user_has(config({{"store", by_file}}));
    const auto store_that_is_missing = [&](const Words& words, const Words& environment) {
        const ProgramOutput output = here.call(words, environment);
        CHECK(output.status == 2);
        return output.err.substr(0, output.err.find(" does not exist"));
    };
    CHECK(store_that_is_missing({"campaigns"}, {}) == "mediarig: " + by_file);
    CHECK(store_that_is_missing({"campaigns"}, {"MEDIARIG_STORE=" + by_environment}) == "mediarig: " + by_environment);
    CHECK(store_that_is_missing({"campaigns", "--store", by_words}, {"MEDIARIG_STORE=" + by_environment}) ==
          "mediarig: " + by_words);
    // A setting for one command overrides the setting for all commands.
    here.user_has(config({{"store", by_file}}, {{"campaigns", {{"store", by_words}}}}));
    CHECK(store_that_is_missing({"campaigns"}, {}) == "mediarig: " + by_words);
    CHECK(store_that_is_missing({"results"}, {}) == "mediarig: " + by_file);
}

TEST_CASE("configuration: a required option with a default can be omitted") {
    const Configured here;
    here.user_has(config({{"store", (here.folder / "r.db").string()}, {"quiet", true}},
                         {{"bench", {{"suite", "verify"}}}, {"run", {{"lanes", 4}}}}));
    const ProgramOutput done = here.call({"bench", here.folder.path(), "--quick"});
    CAPTURE(done.err);
    CHECK(done.status == 3); // only a part was verified
    CHECK(done.err.empty());
    // A default does not exclude other options: the error is that the campaign is already finished, not "excludes".
    const ProgramOutput given_up = here.call({"run", "--abandon", "last"});
    CHECK(given_up.status == 2);
    CHECK(given_up.err.find("exclude") == std::string::npos);
    CHECK_THAT(here.call({"bench", "--help"}).out, ContainsSubstring("verify"));
}

TEST_CASE("configuration: the command config lists the files read and the effective settings") {
    const Configured here;
    const json nothing = json::parse(here.call({"config", "--json"}).out);
    CHECK(nothing.at("files").at(0) ==
          json{{"path", "/etc/mediarig/config.json"}, {"read", std::filesystem::exists("/etc/mediarig/config.json")}});
    CHECK(nothing.at("files").at(1) == json{{"path", here.file}, {"read", false}});

    here.user_has(config({{"agent", "local"}}, {{"run", {{"lanes", 4}}}}));
    const ProgramOutput output = here.call({"config", "--json"}, {"MEDIARIG_AGENT=sudo"});
    CHECK(output.status == 0);
    const json in_force = json::parse(output.out);
    CHECK(in_force.at("files").at(1).at("read") == true);
    const json defaults = in_force.at("defaults");
    CHECK(std::ranges::find(defaults,
                            json{{"command", "run"}, {"option", "lanes"}, {"values", {"4"}}, {"from", here.file}}) !=
          defaults.end());
    CHECK(std::ranges::find(
              defaults,
              json{{"command", nullptr}, {"option", "agent"}, {"values", {"sudo"}}, {"from", "$MEDIARIG_AGENT"}}) !=
          defaults.end());
    CHECK_THAT(here.call({"config"}).out, ContainsSubstring("--lanes"));
}

TEST_CASE("configuration: a file named before the command is the only file that is read") {
    const Configured here;
    here.user_has(config({{"store", "/nowhere/user.db"}}));
    const std::string other = here.folder / "other.json";
    write_file(other, config({{"store", "/nowhere/other.db"}}).dump());
    for (const Words& words : {Words{"--config", other, "campaigns"}, Words{"--config=" + other, "campaigns"}})
        CHECK_THAT(here.call(words).err, ContainsSubstring("/nowhere/other.db does not exist"));
    CHECK_THAT(here.call({"campaigns"}, {"MEDIARIG_CONFIG=" + other}).err, ContainsSubstring("/nowhere/other.db"));
    const ProgramOutput late = here.call({"campaigns", "--config", other});
    CHECK(late.status == 2);
    CHECK_THAT(late.err, ContainsSubstring("goes before the command, as in 'mediarig --config"));
}

TEST_CASE("configuration: a fault in a file ends each command with its position, except help") {
    const Configured here;
    struct Row {
        json text;
        std::string line;
    };
    const Row rows[] = {
        {config({{"stroe", "/x"}}), "/options/stroe: unknown member; did you mean \"store\"?"},
        {config({{"store", "r.db"}}), "/options/store: must be an absolute path"},
        {config({{"store", 1}}), "/options/store: must be an absolute path"},
        {config({{"confirm", "BEEF"}}), "/options/confirm: has no default: confirm each erasure on the command line"},
        {config(json::object(), {{"bnech", json::object()}}),
         "/commands/bnech: unknown member; did you mean \"bench\"?"},
        {config({{"agent", "nobody"}}), "/options/agent: "},
        {json::array(), "/: must be an object"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        here.user_has(row.text);
        for (const Words& words : {Words{"campaigns"}, Words{"config"}}) {
            // Only the command config reports an option that the command does not have.
            const ProgramOutput output = here.call(
                words.front() == "campaigns" && row.line.starts_with("/options/agent") ? Words{"devices"} : words);
            CHECK(output.status == 2);
            CHECK_THAT(output.err, ContainsSubstring("mediarig: " + here.file + ": " + row.line));
            CHECK(std::ranges::count(output.err, '\n') == 1);
        }
        for (const Words& words : {Words{"help", "run"}, Words{"--version"}, Words{"bash-completion"},
                                   Words{"--config", here.file, "help"}, Words{"--config=" + here.file, "--version"}})
            CHECK(here.call(words).status == 0);
    }
    for (const ProgramOutput& absent : {here.call({"--config", "/nowhere/c.json", "campaigns"}),
                                        here.call({"campaigns"}, {"MEDIARIG_CONFIG=/nowhere/c.json"})}) {
        CHECK(absent.status == 2);
        CHECK_THAT(absent.err, ContainsSubstring("/nowhere/c.json cannot be read"));
    }
}

TEST_CASE("configuration: an invalid value is reported as on the command line") {
    const Configured here;
    for (const auto& [text, line] : {
             std::pair(
                 config({{"agent", "nobody"}}),
                 "/options/agent: --agent: 'nobody' is not a choice; choose one of auto, local, sudo, pkexec, lab"),
             std::pair(config(json::object(), {{"run", {{"lanes", 1000}}}}),
                       "/commands/run/lanes: --lanes: 1000 is out of range; the range is 1 to 64"),
             std::pair(config(json::object(), {{"bench", {{"suite", "bonie"}}}}),
                       "/commands/bench/suite: --suite: 'bonie' is not a choice; did you mean 'bonnie'?"),
         }) {
        here.user_has(text);
        const ProgramOutput output = here.call({"config"});
        CHECK(output.status == 2);
        CHECK(output.err == "mediarig: " + here.file + ": " + line + "\n");
    }
}

TEST_CASE("configuration: the program and the schema accept the example of docs/reference/commands.md") {
    const Configured here;
    const std::string page = read_file(MEDIARIG_EXAMPLES "/../reference/commands.md");
    const auto begin = page.find("```json\n") + 8;
    const std::string example = page.substr(begin, page.find("```", begin) - begin);
    const std::string file = here.folder / "example.json";
    write_file(file, example);
    const ProgramOutput output = here.call({"--config", file, "config", "--json"});
    CAPTURE(output.err);
    CHECK(output.status == 0);
    CHECK(json::parse(output.out).at("defaults").size() >= 8);

    const std::string schema = MEDIARIG_EXAMPLES "/../schemas/config.schema.json";
    const auto judged = [&](const std::string& text) {
        write_file(file, text);
        return tool({"python3", "-c",
                     "import json, jsonschema, sys; jsonschema.Draft7Validator(json.load(open(sys.argv[1])))"
                     ".validate(json.load(open(sys.argv[2])))",
                     schema, file});
    };
    if (tool({"python3", "-c", "import jsonschema"}).status != 0) MEDIARIG_SKIP("python3-jsonschema is not installed");
    CHECK(judged(example).status == 0);
    for (const json& wrong : {config({{"confirm", "BEEF"}}), config({{"store", nullptr}}), json::array()})
        CHECK(judged(wrong.dump()).status != 0);
}
