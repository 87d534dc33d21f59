// SPDX-License-Identifier: GPL-3.0-or-later
/// Common behaviour of all commands: help, suggestions, JSON output, existing files, pipes and colours.
#include <algorithm>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

using Words = std::vector<std::string>;

std::string help_on(const Words& command, const Folder& folder) {
    Words words{"help"};
    words.insert(words.end(), command.begin(), command.end());
    const ProgramOutput output = call_mediarig(words, folder.path());
    CAPTURE(output.err);
    REQUIRE(output.status == 0);
    return output.out;
}

/// The command names below "Subcommands:".
Words commands_in(const std::string& help) {
    Words names;
    std::istringstream lines(help);
    std::string line;
    bool below = false;
    while (std::getline(lines, line)) {
        if (below && line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
        below = below || line == "Subcommands:";
    }
    return names;
}

void walk(const Words& at, const Folder& folder, std::vector<Words>& all) {
    const Words below = commands_in(help_on(at, folder));
    if (!at.empty()) all.push_back(at);
    for (const std::string& name : below) {
        Words deeper = at;
        deeper.push_back(name);
        walk(deeper, folder, all);
    }
}

std::string in_one(const Words& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

} // namespace

TEST_CASE("every command has help, a suggestion for a typing error and at most one form of machine output") {
    const Folder folder;
    std::vector<Words> commands;
    walk({}, folder, commands);
    CHECK(commands.size() > 30);
    // Commands that start, end, open or change something and return no data.
    const Words without_facts{
        "report",         "watch",    "lab",     "lab stop",         "lab throttle",     "lab fault",
        "lab shell",      "rig",      "rig sim", "campaigns delete", "campaigns export", "campaigns import",
        "campaigns plan", "describe", "suites",  "names give",       "names forget",     "help"};
    for (const Words& command : commands) {
        const std::string name = in_one(command);
        CAPTURE(name);
        const std::string help = help_on(command, folder);
        const bool tells = help.find("--json[=FILE]") != std::string::npos;
        const bool expected = std::find(without_facts.begin(), without_facts.end(), name) == without_facts.end();
        CHECK(tells == expected);
        if (tells) CHECK(help.find("--force") != std::string::npos);
        CHECK(help.find("{-}") == std::string::npos);

        Words slip = command;
        slip.emplace_back("--hlep");
        const ProgramOutput output = call_mediarig(slip, folder.path());
        CHECK(output.status == 2);
        CHECK_THAT(output.err,
                   ContainsSubstring("mediarig: " + name + " has no option --hlep; did you mean '--help'?"));
    }
}

TEST_CASE("a mistyped command gets a suggestion") {
    const Folder folder;
    struct Case {
        Words words;
        std::string line;
    };
    const Case cases[] = {
        {{"verfiy", "x"}, "mediarig: there is no command 'verfiy'; did you mean 'verify'? (see mediarig --help)\n"},
        {{"lab", "plgu"}, "mediarig: there is no command 'lab plgu'; did you mean 'plug'? (see mediarig lab --help)\n"},
        {{"help", "vreify"}, "mediarig: there is no command 'vreify'; did you mean 'verify'? (see mediarig --help)\n"},
        {{"help", "lab", "plgu"},
         "mediarig: there is no command 'lab plgu'; did you mean 'lab plug'? (see mediarig lab --help)\n"},
        {{"xyzzy"}, "mediarig: there is no command 'xyzzy' (see mediarig --help)\n"},
        {{"verify", "x", "--confrim", "y"},
         "mediarig: verify has no option --confrim; did you mean '--confirm'? (see mediarig verify --help)\n"},
    };
    for (const Case& each : cases) {
        CAPTURE(in_one(each.words));
        const ProgramOutput output = call_mediarig(each.words, folder.path());
        CHECK(output.status == 2);
        CHECK(output.err == each.line);
        CHECK(output.out.empty());
    }
}

TEST_CASE("JSON output replaces the text on standard output or goes to an additional file") {
    const Folder folder;
    const ProgramOutput text = call_mediarig({"lab", "cards"}, folder.path());
    const ProgramOutput facts = call_mediarig({"lab", "cards", "--json"}, folder.path());
    const std::string file = folder / "cards.json";
    const ProgramOutput both = call_mediarig({"lab", "cards", "--json=" + file}, folder.path());
    CHECK(text.status + facts.status + both.status == 0);
    CHECK(json::parse(facts.out).at("mediarig_cards") == 1);
    CHECK(both.out == text.out);
    CHECK(read_file(file) == facts.out);

    const ProgramOutput again = call_mediarig({"lab", "cards", "--json=" + file}, folder.path());
    CHECK(again.status == 2);
    CHECK(again.err == "mediarig: " + file + " exists already: name another file, or replace it with --force\n");
    CHECK(again.out.empty());
    CHECK(call_mediarig({"lab", "cards", "--json=" + file, "--force"}, folder.path()).status == 0);
    write_file(folder / "letter.txt", "Dear");
    const ProgramOutput other =
        call_mediarig({"lab", "cards", "--force", "--json=" + (folder / "letter.txt").string()}, folder.path());
    CHECK(other.status == 2);
    CHECK(read_file(folder / "letter.txt") == "Dear");
}

TEST_CASE("results are written to all output files or to no file") {
    const Folder folder;
    const std::string store = folder / "r.db", csv = folder / "r.csv", facts = folder / "r.json";
    const auto call = [&](Words words) {
        words.insert(words.end(), {"--store", store});
        return call_mediarig(words, folder.path());
    };
    REQUIRE(call({"bench", folder.path(), "--suite", "verify", "--quick", "--quiet"}).status == 3);
    write_file(csv, "Dear");
    for (const std::string option : {"--csv=", "--comparison-csv="}) {
        CAPTURE(option);
        const ProgramOutput output = call({"results", "--json=" + facts, option + csv});
        CHECK(output.status == 2);
        CHECK_THAT(output.err, ContainsSubstring(csv + " exists and is not a file that mediarig writes"));
        CHECK(output.out.empty());
        CHECK_FALSE(std::filesystem::exists(facts));
    }
    const ProgramOutput shared =
        call({"results", "--csv=" + facts, "--comparison-csv=" + (folder / "./r.json").string()});
    CHECK(shared.status == 2);
    CHECK_THAT(shared.err, ContainsSubstring("--csv and --comparison-csv cannot share " + folder.path().string()));
    CHECK(call({"results", "--csv", "--json"}).status == 2);
    CHECK_FALSE(std::filesystem::exists(facts));
    CHECK(read_file(csv) == "Dear");

    std::filesystem::remove(csv);
    CHECK(call({"results", "--json=" + facts, "--csv=" + csv}).status == 0);
    CHECK(std::filesystem::exists(facts));
    CHECK(call({"results", "--csv=" + csv}).status == 2);
    CHECK(call({"results", "--csv=" + csv, "--force"}).status == 0);

    // The columns of a list depend on the campaign, so that two tables may begin differently.
    const std::string list = folder / "list.csv";
    CHECK(call({"results", "--table", "devices", "--csv=" + list}).status == 0);
    CHECK(call({"results", "--table", "campaign", "--csv=" + list}).status == 2);
    CHECK(call({"results", "--table", "campaign", "--csv=" + list, "--force"}).status == 0);
    CHECK(call({"results", "--table", "campaign", "--csv=" + csv, "--force"}).status == 2);
    CHECK(call({"results", "--table", "campaign"}).out == read_file(list));
    const ProgramOutput unknown = call({"results", "--table", "nothing"});
    CHECK(unknown.status == 2);
    CHECK_THAT(unknown.err, ContainsSubstring("no list 'nothing'; use one of: campaign, "));
}

TEST_CASE("a nickname names its medium and never confirms an erasure") {
    const Folder folder;
    const std::string image = folder / "card.img", store = folder / "r.db";
    make_image(image, 64 << 20);
    const auto call = [&](const Words& words) {
        return call_mediarig(words, folder.path(),
                             {"XDG_DATA_HOME=" + folder.path().string(), "MEDIARIG_STORE=" + store});
    };
    CHECK(call({"names"}).status == 0);
    const ProgramOutput relative =
        tool({"sh", "-c", "cd \"$1\" && XDG_DATA_HOME=\"$1\" MEDIARIG_CONFIG=/dev/null \"$2\" names give card.img blue",
              "sh", folder.path(), mediarig_program()});
    CHECK(relative.out == image + " is now called 'blue'\n");
    CHECK(call({"names", "give", image, "blue"}).out == image + " is now called 'blue'\n");
    CHECK(call({"names", "give", "BEEF", "blue"}).status == 2);
    CHECK(call({"names", "give", "BEEF", "last"}).status == 2);
    CHECK(json::parse(call({"names", "--json"}).out).at("names").at(0) == json{{"medium", image}, {"name", "blue"}});

    const ProgramOutput seen = call({"inspect", "blue", "--json"});
    CAPTURE(seen.err);
    CHECK(json::parse(seen.out).at("nickname") == "blue");
    CHECK_THAT(call({"inspect", "blue"}).out, ContainsSubstring("nickname: blue\n"));
    const ProgramOutput gone = call({"inspect", "green"});
    CHECK(gone.status == 2);

    const ProgramOutput refused = call({"format", "blue", "--fs", "fat32", "--confirm", "blue"});
    CHECK(refused.status == (is_root() ? 4 : 3));
    const std::string content = read_file(image);
    CHECK(content.find_first_not_of('\0') == std::string::npos);
    if (is_root() && tool({"mkfs.fat", "--help"}).status != 127) {
        CHECK(call({"format", "blue", "--fs", "fat32", "--confirm", image}).status == 0);
        // Without a driver for FAT32 the campaign is still recorded and reports the missing driver.
        (void)call({"bench", "blue", "--suite", "quickbench", "--quick", "--quiet"});
        // The record contains no nickname, so that it is the same for all users.
        CHECK(json::parse(call({"results", "--json"}).out).at("devices").at(0).at("label") == "");
        CHECK(json::parse(call({"campaigns", "--json"}).out).at("campaigns").at(0).at("devices").at(0).at("nickname") ==
              "blue");
        CHECK(call({"results", "blue"}).status == 0);
        CHECK(call({"results", "--device", "blue"}).status == 0);
        CHECK(call({"results", "--device", "green"}).status == 2);
    }
    CHECK(call({"names", "forget", "blue"}).status == 0);
    CHECK(call({"names", "forget", "blue"}).status == 2);
    CHECK(call({"inspect", "blue"}).status == 2);
}

TEST_CASE("campaigns are listed, selected, deleted and copied") {
    const Folder folder;
    const std::string store = folder / "r.db", other = folder / "other.db", file = folder / "one.db";
    const auto call = [&](Words words, const std::string& in) {
        words.emplace_back("--store");
        words.push_back(in);
        return call_mediarig(words, folder.path());
    };
    for (int i = 0; i < 2; ++i)
        REQUIRE(call({"bench", folder.path(), "--suite", "verify", "--quick", "--quiet"}, store).status == 3);
    const auto numbers = [&](const std::string& in, Words more = {}) {
        more.insert(more.begin(), {"campaigns", "--json"});
        std::vector<int> found;
        const json list = json::parse(call(more, in).out);
        for (const json& campaign : list.at("campaigns")) found.push_back(campaign.at("number"));
        return found;
    };
    CHECK(numbers(store) == std::vector<int>{2, 1});
    CHECK(numbers(store, {"--state", "finished"}) == std::vector<int>{2, 1});
    CHECK(numbers(store, {"--state", "running"}).empty());
    CHECK(numbers(store, {"--device", "nobody"}).empty());
    const ProgramOutput list = call({"campaigns"}, store);
    CHECK_THAT(list.out, ContainsSubstring("finished"));
    CHECK_THAT(list.out, ContainsSubstring("SAMPLED"));

    // A folder has no model: the campaign has its name.
    const std::string name = folder.path().filename().string() + " verify";
    CHECK_THAT(list.out, ContainsSubstring("mediarig-test-")); // the list shortens the name
    const std::string newest = call({"results", "last", "--csv"}, store).out;
    CHECK(call({"results", "2", "--csv"}, store).out == newest);
    CHECK(call({"results", "--campaign", name, "--csv"}, store).out == newest);
    CHECK(call({"results", "1", "--csv"}, store).out != newest);
    CHECK(call({"results", "3"}, store).status == 2);
    CHECK(call({"run", "--abandon", "2"}, store).status == 2); // the campaign is already closed

    // To repeat a test, run its plan again.
    const ProgramOutput plan = call({"campaigns", "plan", "1"}, store);
    CHECK(plan.status == 0);
    CHECK(json::parse(plan.out).at("media").at(0).at("directory") == folder.path().string());
    const ProgramOutput kept = call({"campaigns", "plan", "-o", folder / "again.json"}, store);
    CHECK(kept.status == 0);
    CHECK_THAT(kept.err, ContainsSubstring("mediarig run " + (folder / "again.json").string()));
    CHECK(read_file(folder / "again.json") == call({"campaigns", "plan", "2"}, store).out);
    CHECK(call({"campaigns", "plan", "-o", folder / "again.json"}, store).status == 2);
    CHECK(call({"campaigns", "plan", "1", "2"}, store).status == 2);
    CHECK(call({"campaigns", "plan", "3"}, store).status == 2);
    const std::string third = folder / "third.db";
    CHECK(call({"run", folder / "again.json", "--quiet"}, third).status == 3);
    CHECK(call({"campaigns", "plan"}, third).out == read_file(folder / "again.json"));

    CHECK(call({"campaigns", "export", "2", "-o", file}, store).status == 0);
    CHECK(call({"campaigns", "export", "2", "-o", file}, store).status == 2);
    CHECK(call({"campaigns", "export", "2", "-o", file, "--force"}, store).status == 0);
    CHECK(call({"campaigns", "export", "2", "-o", store, "--force"}, store).status == 2);
    CHECK(call({"results", "--csv"}, file).out == newest);
    // A file with the temporary name of an export is not replaced either.
    write_file(file + ".part", "a letter");
    CHECK(call({"campaigns", "export", "2", "-o", file, "--force"}, store).status == 0);
    CHECK(read_file(file + ".part") == "a letter");
    // A store of several campaigns is not an export.
    const ProgramOutput whole = call({"campaigns", "export", "1", "-o", store, "--force"}, file);
    CHECK(whole.status != 0);
    CHECK(numbers(store) == std::vector<int>{2, 1});
    // The command delete does not ignore options of the list.
    for (const Words& before : {Words{"--state", "failed"}, Words{"--device", "nobody"}}) {
        Words words{"campaigns"};
        words.insert(words.end(), before.begin(), before.end());
        words.insert(words.end(), {"delete", "last"});
        CHECK(call(words, store).status == 2);
    }
    CHECK(numbers(store) == std::vector<int>{2, 1});
    CHECK(call({"run", "--abandon", "2", "--dry-run"}, store).status == 2);
    CHECK(call({"campaigns", "import", file}, other).status == 0);
    CHECK(call({"results", "--csv"}, other).out == newest);
    const ProgramOutput known = call({"campaigns", "import", file}, other);
    CHECK(known.status == 0);
    CHECK(known.out == "1 of the file's campaigns was in this store already\n");
    CHECK(call({"campaigns", "import", folder / "none.db"}, other).status == 2);

    // Without a terminal the command cannot ask for a confirmation.
    const ProgramOutput unasked = call({"campaigns", "delete", "last"}, store);
    CHECK(unasked.status == 2);
    CHECK_THAT(unasked.err,
               ContainsSubstring("would be deleted permanently: keep a copy with 'mediarig campaigns export 2 "
                                 "-o FILE', then delete with --force"));
    CHECK(numbers(store) == std::vector<int>{2, 1});
    // If several campaigns have the name, no campaign is deleted.
    const ProgramOutput several = call({"campaigns", "delete", name, "--force"}, store);
    CHECK(several.status == 2);
    CHECK_THAT(several.err, ContainsSubstring("'" + name + "' matches 2 campaigns: choose one by number: 2, 1"));
    CHECK(numbers(store) == std::vector<int>{2, 1});
    CHECK(call({"campaigns", "delete", "last", "--force"}, store).status == 0);
    CHECK(numbers(store) == std::vector<int>{1});
    CHECK(call({"campaigns", "delete", "2", "--force"}, store).status == 2);
    CHECK(call({"campaigns", "import", file}, store).status == 0);
    CHECK(numbers(store) == std::vector<int>{3, 1});
    CHECK(call({"campaigns", "delete", "1", "last", "3", "--force"}, store).status == 0);
    CHECK(numbers(store).empty());
}

TEST_CASE("the list of campaigns is empty before the first campaign, but a store named by --store must exist") {
    const Folder folder;
    const Words fresh{"MEDIARIG_STORE=", "XDG_DATA_HOME=" + (folder / "data").string()};
    const ProgramOutput none = call_mediarig({"campaigns"}, folder.path(), fresh);
    CHECK(none.status == 0);
    CHECK(none.out == "no campaigns found\n");
    CHECK(json::parse(call_mediarig({"campaigns", "--json"}, folder.path(), fresh).out).at("campaigns").empty());
    CHECK(call_mediarig({"campaigns", "--store", folder / "none.db"}, folder.path(), fresh).status == 2);
    CHECK_FALSE(std::filesystem::exists(folder / "data"));
}

TEST_CASE("a closed pipe ends the output silently, and a full disk is an error") {
    const Folder folder;
    // The output comes late enough that the reader has exited.
    const ProgramOutput output =
        tool({"sh", "-c", "(sleep 0.3; \"$1\" help; echo \"status $?\" >&2) | true", "sh", mediarig_program()});
    CHECK(output.err == "status 0\n");
    const ProgramOutput full = tool({"sh", "-c", "\"$1\" help > /dev/full", "sh", mediarig_program()});
    CHECK(full.status == 3);
    CHECK(full.err == "mediarig: standard output cannot be written: is it closed, or the disk full?\n");
}

TEST_CASE("if standard output is closed, the output of a command does not go to another file") {
    const Folder folder;
    const ProgramOutput output = tool({"sh", "-c", "\"$1\" help >&-", "sh", mediarig_program()});
    CHECK(output.status == 3);
    CHECK(output.err == "mediarig: standard output cannot be written: is it closed, or the disk full?\n");
    const std::string file = folder / "c.json";
    const ProgramOutput both = tool({"sh", "-c", "\"$1\" published --json=\"$2\" >&-", "sh", mediarig_program(), file});
    CHECK(both.status == 3);
    CHECK(json::parse(read_file(file)).is_object());
}

TEST_CASE("the terminal and the environment determine whether output is coloured") {
    const Folder folder;
    REQUIRE(
        call_mediarig({"bench", folder.path(), "--suite", "verify", "--quick", "--quiet", "--store", folder / "r.db"},
                      folder.path())
            .status == 3);
    const auto is_coloured = [&](const std::vector<std::string>& environment) {
        const ProgramOutput output = call_mediarig({"results", "--store", folder / "r.db"}, folder.path(), environment);
        CHECK(output.status == 0);
        return output.out.find("\x1b[") != std::string::npos;
    };
    CHECK_FALSE(is_coloured({}));
    CHECK(is_coloured({"CLICOLOR_FORCE=1"}));
    CHECK(is_coloured({"CLICOLOR_FORCE=1", "NO_COLOR=1"}));
    CHECK_FALSE(is_coloured({"CLICOLOR_FORCE=0"}));
    CHECK_FALSE(is_coloured({"CLICOLOR=1"}));
}

TEST_CASE("an image or a folder in place of a command is described with the commands for its questions") {
    const Folder folder;
    const std::string image = folder / "card.img";
    make_image(image, 8ULL << 20);
    const ProgramOutput medium = call_mediarig({image}, folder.path());
    CAPTURE(medium.err);
    CHECK(medium.status == 0);
    CHECK_THAT(medium.out, ContainsSubstring(image + ": ") && ContainsSubstring("8.39 MB") &&
                               ContainsSubstring("Is it a fake? (erases it)\n    mediarig verify " + image +
                                                 " --probe --confirm " + image + "\n") &&
                               ContainsSubstring("How fast is it?\n    mediarig bench " + image + "\n"));
    CHECK(call_mediarig({"describe", image}, folder.path()).out == medium.out);
    const ProgramOutput directory = call_mediarig({folder.path().string()}, folder.path());
    CHECK(directory.status == 0);
    CHECK_THAT(directory.out, ContainsSubstring(": a folder\n") && ContainsSubstring("mediarig bench ") &&
                                  !ContainsSubstring("erases"));
    const ProgramOutput absent = call_mediarig({"/dev/none-of-these"}, folder.path());
    CHECK(absent.status != 0);
    CHECK_THAT(absent.err, ContainsSubstring("/dev/none-of-these"));
}

TEST_CASE("bench has a default suite, repeats passes and takes size, time, block and depth") {
    const Folder folder;
    const ProgramOutput output =
        call_mediarig({"bench", folder.path(), "--repeat", "2", "--size", "1MiB", "--block", "64KiB", "--block", "4KiB",
                       "--time", "1", "--quick", "--json", "--store", folder / "r.db"},
                      folder.path());
    CAPTURE(output.err);
    const json device = json::parse(output.out).at("devices").at(0);
    REQUIRE(device.at("passes").size() == 2);
    for (const json& pass : device.at("passes")) {
        CHECK(pass.at("job").at("suite") == "quickbench");
        CHECK(pass.at("cells").size() == 8);
    }
    const ProgramOutput list = call_mediarig({"suites"}, folder.path());
    CHECK(list.status == 0);
    CHECK_THAT(list.out, ContainsSubstring("\nquickbench "));
}
