// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes input that is too long, nested too deeply or endless to everything that accepts input. The program ends with
/// one short line on standard error and the documented status, and not by a signal.
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
namespace fs = std::filesystem;

namespace {

const std::string very_long(60'000, 'A');

std::string nested(std::size_t levels, char open, char close) {
    return std::string(levels, open) + std::string(levels, close);
}

/// Nested objects: {"a":{"a":…}}
std::string nested_objects(std::size_t levels) {
    std::string text;
    for (std::size_t i = 0; i < levels; ++i) text += "{\"a\":";
    return text + "1" + std::string(levels, '}');
}

/// Checks status and length of the error. `most`: maximum number of lines, because each fault of a plan has a separate
/// line.
void check(const ProgramOutput& output, std::ptrdiff_t most = 1) {
    CAPTURE(output.err.substr(0, 3000), output.status);
    CHECK((output.status == 2 || output.status == 3));
    const auto lines = std::count(output.err.begin(), output.err.end(), '\n');
    CHECK((lines >= 1 && lines <= most));
    CHECK(output.err.size() < 2000);
    CHECK(output.err.find("exception") == std::string::npos);
    CHECK(output.err.find("std::") == std::string::npos);
}

} // namespace

TEST_CASE("arguments of any length and content give a one-line error and status 2") {
    const Folder folder;
    const std::string colons(3000, ':');
    std::string dashes;
    while (dashes.size() < 3900) dashes += "--a: ";
    for (const std::string& word : {very_long, std::string(1'000'000 / 10, '-'), std::string(4000, 'A'), dashes, colons,
                                    std::string(4000, '('), std::string(4000, '%'), std::string(2000, '{')})
        for (const auto& words : {std::vector<std::string>{"campaigns", "--state", "@"},
                                  {"bench", "x", "--engine", "@"},
                                  {"bench", "x", "--suite", "@"},
                                  {"@"},
                                  {"campaigns", "@"},
                                  {"campaigns", "--@"},
                                  {"lab", "@"},
                                  {"rig", "power", "@", "on"},
                                  {"format", "x", "--fs", "@"},
                                  {"format", "x", "--fs", "exfat", "--cluster-size", "@"},
                                  {"verify", "x", "--@"},
                                  {"inspect", "@"},
                                  {"run", "@"},
                                  {"--config", "@", "devices"}}) {
            std::vector<std::string> given = words;
            for (std::string& each : given)
                if (const std::size_t at = each.find('@'); at != std::string::npos) each.replace(at, 1, word);
            CAPTURE(word.substr(0, 20), word.size(), words);
            const ProgramOutput output =
                call_mediarig(given, folder.path(), {"MEDIARIG_STORE=" + (folder / "r.db").string()});
            check(output);
            CHECK(output.status == 2);
        }
}

TEST_CASE("environment variables of any length give a one-line error and status 2") {
    const Folder folder;
    for (const char* name : {"MEDIARIG_AGENT", "MEDIARIG_STORE", "MEDIARIG_CONFIG", "MEDIARIG_LAB_DIR", "XDG_DATA_HOME",
                             "XDG_RUNTIME_DIR", "HOME"})
        for (const std::size_t length : {std::size_t{4'096}, std::size_t{60'000}, std::size_t{120'000}}) {
            CAPTURE(name, length);
            const ProgramOutput output =
                call_mediarig({"campaigns"}, folder.path(), {name + ("=/" + std::string(length, 'A'))});
            check(output);
            CHECK(output.status == 2);
        }
    check(call_mediarig({"campaigns"}, folder.path(), {"MEDIARIG_AGENT=" + std::string(4'000, '(')}));
}

TEST_CASE("nested, huge and endless plans, profiles, configurations and rig files give a short error") {
    const Folder folder;
    const std::string file = (folder / "hostile.json").string();
    const auto try_all = [&](const std::string& name) {
        for (const auto& words : {std::vector<std::string>{"run", name, "--dry-run"},
                                  {"--config", name, "devices"},
                                  {"inspect", (folder / "card.img").string(), "--expect", name},
                                  {"rig", "status", "--rig", name},
                                  {"campaigns", "import", name},
                                  {"compare", "--from", name}}) {
            CAPTURE(words);
            check(call_mediarig(words, folder.path(), {"MEDIARIG_STORE=" + (folder / "r.db").string()}),
                  words.front() == "run" ? 12 : 1);
        }
    };
    make_image(folder / "card.img", 64 << 20);
    for (const std::string& text :
         {nested(1'000'000, '[', ']'), nested_objects(500'000), std::string(2'000'000, '['),
          "\"" + std::string(5'000'000, 'x') + "\"", "{\"" + std::string(1'000'000, 'k') + "\": 1}",
          "{\"mediarig_plan\": 1, \"name\": \"" + very_long + "\"}",
          "{\"mediarig_plan\": " + std::string(1'000'000, '9') + "}"}) {
        CAPTURE(text.substr(0, 30), text.size());
        write_file(file, text);
        try_all(file);
    }
    // A sparse file with 2 GiB of zeros, and an endless device.
    make_image(folder / "zeros.json", std::uint64_t{2} << 30);
    try_all((folder / "zeros.json").string());
    try_all("/dev/zero");
}

TEST_CASE("unreadable files of nicknames and uplinks are reported in one line") {
    const Folder folder;
    const std::vector<std::string> environment{"XDG_DATA_HOME=" + folder.path().string(),
                                               "MEDIARIG_STORE=" + (folder / "r.db").string()};
    fs::create_directories(folder / "mediarig");
    for (const std::string& text :
         {nested(1'000'000, '[', ']'), nested_objects(500'000), "[" + std::string(9'000'000, ' '),
          "{\"mediarig_names\": 1, \"names\": [{\"medium\": \"" + very_long + "\", \"name\": \"a\"}]}"}) {
        CAPTURE(text.substr(0, 30), text.size());
        write_file(folder / "mediarig/names.json", text);
        check(call_mediarig({"names"}, folder.path(), environment));
        write_file(folder / "uplinks.json", text);
        check(call_mediarig({"uplinks"}, folder.path(), environment));
    }
    for (const std::string& name : {std::string(4'000, 'n'), std::string(201, 'n')})
        check(call_mediarig({"names", "give", "SERIAL", name}, folder.path(), environment));
}

TEST_CASE("an imported archive with a name of many megabytes is refused in one short line") {
    const Folder folder;
    const std::string made = (folder / "made.db").string();
    write_file(folder / "plan.json", R"({"mediarig_plan": 1, "name": "t", "media": [{"path": ")" +
                                         (folder / "card.img").string() +
                                         R"("}], "formats": ["exfat"], "suites": ["verify"]})");
    make_image(folder / "card.img", 64 << 20);
    for (const char* column : {"campaign SET name", "campaign SET id", "campaign SET plan"}) {
        CAPTURE(column);
        fs::remove(made);
        (void)call_mediarig({"run", (folder / "plan.json").string(), "--store", made}, folder.path());
        sqlite3* database = nullptr;
        REQUIRE(sqlite3_open(made.c_str(), &database) == SQLITE_OK);
        const std::string sql = std::string("PRAGMA foreign_keys = OFF; UPDATE ") + column +
                                " = replace(hex(zeroblob(8000000)), '00', 'AAAA')";
        const bool changed = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK &&
                             sqlite3_changes(database) > 0;
        sqlite3_close(database);
        if (!changed) MEDIARIG_SKIP("the campaign that this test changes could not be made here");
        check(call_mediarig({"campaigns", "import", made, "--store", (folder / "own.db").string()}, folder.path()));
    }
}

TEST_CASE("reading an endless standard input stops at a limit") {
    const Folder folder;
    const ProgramOutput output =
        tool({"sh", "-c", "ulimit -v 2000000; exec \"$0\" lab shell </dev/zero", mediarig_program()});
    check(output);
    const ProgramOutput lines =
        tool({"sh", "-c", "ulimit -v 2000000; exec \"$0\" compare --from - </dev/zero", mediarig_program()});
    check(lines);
}

TEST_CASE("the agent and the simulated rig report an invalid argument in one line and status 2") {
    const fs::path programs = fs::path(mediarig_program()).parent_path();
    for (const char* program : {"mediarig-agent", "mediarig-rig-sim"})
        for (const std::string& word :
             {very_long, std::string("--frobnicate"), "--serial=" + std::string(4'000, 'x')}) {
            CAPTURE(program, word.size());
            const ProgramOutput output = tool({(programs / program).string(), word});
            check(output);
            CHECK(output.status == 2);
        }
}
