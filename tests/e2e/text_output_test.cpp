// SPDX-License-Identifier: GPL-3.0-or-later
/// The program prints nothing twice, keeps the order of the input, and fits its lines to the terminal.
#include <algorithm>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::e2e;
using nlohmann::json;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

} // namespace

TEST_CASE("the faults of a plan are listed in the order of the plan") {
    const Folder folder;
    write_file(folder / "p.json", R"({"mediarig_plan": 1, "name": "x", "media": [{"path": "sdb"}, {"path": "sdc"}],
                                     "formats": ["exfta"], "suites": [{"suite": "quickbnech"}]})");
    const ProgramOutput output = call_mediarig({"run", folder / "p.json"}, folder.path());
    CHECK(output.status == 2);
    std::vector<std::size_t> places;
    for (const char* where : {"/media/0/path: ", "/media/1/path: ", "/formats/0: ", "/suites/0/suite: "})
        places.push_back(output.err.find(where));
    CAPTURE(output.err);
    CHECK(places.back() != std::string::npos);
    CHECK(std::ranges::is_sorted(places));
    CHECK(output.err.starts_with("mediarig: "));
}

TEST_CASE("a dry run of a plan without a confirmation prints the required confirmation") {
    const Folder folder;
    const std::string image = folder / "card.img";
    make_image(image, 64 << 20);
    write_file(folder / "p.json", R"({"mediarig_plan": 1, "name": "x", "media": [{"image": ")" + image + R"("}],
                                     "formats": ["exfat"], "suites": [{"suite": "quickbench", "quick": true}]})");
    const ProgramOutput output =
        call_mediarig({"run", folder / "p.json", "--dry-run", "--json", "--agent", "local"}, folder.path());
    CHECK(nlohmann::json::parse(output.out).at("media").at(0).at("to_confirm") == image);
    if (is_root()) {
        CHECK(output.status == 0);
        const ProgramOutput shown =
            call_mediarig({"run", folder / "p.json", "--dry-run", "--agent", "local"}, folder.path());
        CHECK_THAT(shown.out, ContainsSubstring("ready; to run, the plan"));
    }
    const ProgramOutput run = call_mediarig({"run", folder / "p.json"}, folder.path());
    CHECK(run.status == 2);
    CHECK_THAT(run.err, ContainsSubstring("/media/0/confirm: is missing"));
}

TEST_CASE("a dry run of missing media prints no duration") {
    const Folder folder;
    const std::string image = folder / "none.img";
    write_file(folder / "p.json", R"({"mediarig_plan": 1, "name": "x", "media": [{"image": ")" + image + R"("}],
                                     "formats": ["exfat"], "suites": [{"suite": "quickbench"}]})");
    const ProgramOutput output =
        call_mediarig({"run", folder / "p.json", "--dry-run", "--agent", "local"}, folder.path());
    CHECK(output.status == 2);
    CHECK(output.out.find("about 0 s") == std::string::npos);
    CHECK_THAT(output.out, ContainsSubstring("how long they take depends"));
    // The reason is printed once, next to the status.
    const auto reason = output.out.find("Not ready: none.img: ");
    REQUIRE(reason != std::string::npos);
    CHECK_THAT(output.out.substr(0, reason),
               ContainsSubstring("none.img, of unknown size: not ready, see below\n") && !ContainsSubstring("no such"));
    CHECK(output.out.find("This was a dry run", reason) != std::string::npos);
}

TEST_CASE("a confirmation for another medium is reported once without a campaign") {
    if (!is_root()) MEDIARIG_SKIP("needs root: a claim that lacks a right is not a refusal");
    const Folder folder;
    make_image(folder / "card.img", 64 << 20);
    const ProgramOutput output =
        call_mediarig({"verify", folder / "card.img", "--confirm", "WRONG", "--agent", "local"}, folder.path(),
                      {"MEDIARIG_STORE=" + (folder / "r.db").string()});
    CAPTURE(output.err);
    CHECK(output.status == 4);
    CHECK(output.out.empty());
    CHECK(lines_of(output.err).size() == 1);
    CHECK(output.err.find("campaign") == std::string::npos);
}

TEST_CASE("nicknames given at the same time are all stored") {
    const Folder folder;
    const std::string data = "XDG_DATA_HOME=" + folder.path().string();
    std::string together;
    for (int i = 0; i < 12; ++i)
        together += " \"$1\" names give SERIAL" + std::to_string(i) + " card" + std::to_string(i) + " &";
    const ProgramOutput output = tool({"env", data, "sh", "-c", together + " wait", "sh", mediarig_program()});
    CAPTURE(output.err);
    const ProgramOutput listed = call_mediarig({"names", "--json"}, folder.path(), {data});
    CHECK(nlohmann::json::parse(listed.out).at("names").size() == 12);
}

TEST_CASE("a nickname file that has only one line can be changed") {
    const Folder folder;
    const std::string data = "XDG_DATA_HOME=" + folder.path().string();
    std::filesystem::create_directories(folder / "mediarig");
    write_file(folder / "mediarig/names.json", R"({"mediarig_names":1,"names":[{"medium":"A","name":"one"}]})");
    CHECK(call_mediarig({"names", "give", "B", "two"}, folder.path(), {data}).status == 0);
    const ProgramOutput listed = call_mediarig({"names", "--json"}, folder.path(), {data});
    CHECK(nlohmann::json::parse(listed.out).at("names").size() == 2);
}

TEST_CASE("single measurements of many media give an order without a claim") {
    const Folder folder;
    json plan{{"mediarig_plan", 1},
              {"name", "lot"},
              {"suites",
               {{{"suite", "quickbench"},
                 {"tables", {"standard"}},
                 {"blocks", {"64KiB"}},
                 {"span", "1MiB"},
                 {"volume", "1MiB"}}}}};
    for (const char* name : {"a", "b", "c", "d", "e"}) {
        std::filesystem::create_directory(folder / name);
        plan["media"].push_back({{"directory", (folder / name).string()}});
    }
    write_file(folder / "plan.json", plan.dump());
    const std::string store = folder / "r.db";
    const ProgramOutput run = call_mediarig({"run", folder / "plan.json", "--quiet", "--store", store}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status <= 1);
    const ProgramOutput output = call_mediarig({"compare", "--media", "lot", "--store", store}, folder.path());
    CAPTURE(output.out, output.err);
    CHECK(output.status == 0);
    CHECK(output.out.starts_with("MEDIUM  REPEATS  "));
    CHECK_THAT(output.out, ContainsSubstring("\nMeasured once, so the order is not a claim: sequential read: "));
    CHECK(output.out.find(" against ") == std::string::npos);
    // A single repeat has no scatter.
    CHECK(output.out.find("0.0 %") == std::string::npos);
    CHECK(std::ranges::count(output.out, '\n') < 25);

    // A second run of the lot gives one line per medium, which compares the two runs.
    REQUIRE(call_mediarig({"run", folder / "plan.json", "--quiet", "--store", store}, folder.path()).status <= 1);
    const ProgramOutput changes = call_mediarig({"compare", "--media", "1,2", "--store", store}, folder.path());
    CAPTURE(changes.out, changes.err);
    CHECK(changes.status == 0);
    CHECK(changes.out.starts_with("MEDIUM  CAMPAIGNS "));
    for (const char* name : {"a", "b", "c", "d", "e"})
        CHECK(std::ranges::count_if(lines_of(changes.out), [&](const std::string& line) {
                  return line.starts_with(name) && line.find(" 1 to 2 ") != line.npos && line.ends_with(" %");
              }) == 1);
    CHECK(changes.out.find(" against ") == std::string::npos);
    const ProgramOutput named =
        call_mediarig({"compare", "--media", "1/a,2/b", "--json", "--store", store}, folder.path());
    CHECK(json::parse(named.out).at("pairs") == "each_two");
    // For one medium in two runs there is neither a scatter nor a comparable type.
    const ProgramOutput one = call_mediarig({"compare", "--media", "1/a,2/a", "--store", store}, folder.path());
    CAPTURE(one.out);
    CHECK(one.status == 0);
    CHECK(one.out.find("SCATTER OF CARDS") == std::string::npos);
    CHECK(one.out.find("Types are not compared") == std::string::npos);
    const ProgramOutput itself = call_mediarig({"compare", "--media", "1/a,1/a", "--store", store}, folder.path());
    CHECK(itself.status == 2);
    CHECK(itself.err == "mediarig: a is named twice\n");
}

TEST_CASE("the file name of a page is its campaign name in letters, digits and hyphens") {
    const Folder folder;
    std::filesystem::create_directory(folder / "Ordner für Fotos");
    write_file(folder / "plan.json",
               json{{"mediarig_plan", 1},
                    {"name", "Prüf’los\u00a07/März"},
                    {"media", {{{"directory", (folder / "Ordner für Fotos").string()}}}},
                    {"suites", {{{"suite", "quickbench"}, {"quick", true}, {"blocks", {"64KiB"}}, {"span", "1MiB"}}}}}
                   .dump());
    const std::string store = folder / "r.db";
    const ProgramOutput run = call_mediarig({"run", folder / "plan.json", "--quiet", "--store", store}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status <= 1);
    const ProgramOutput output =
        tool({"env", "-C", folder.path().string(), mediarig_program(), "report", "--store", store});
    CHECK(output.out == "report: " + (folder / "mediarig-1-Prüf-los-7-März.html").string() + "\n");
    const ProgramOutput list = call_mediarig({"campaigns", "--json", "--store", store}, folder.path());
    CHECK(json::parse(list.out)["campaigns"][0]["devices"][0]["key"].get<std::string>().starts_with(
        "directory-Ordner_für_Fotos-"));
}

TEST_CASE("help fits into 80 columns and contains no text of a library") {
    const Folder folder;
    for (const char* command : {"", "bench", "verify", "format", "inspect", "run", "compare", "results", "report",
                                "campaigns", "lab", "rig", "devices", "check", "scan"}) {
        CAPTURE(command);
        std::vector<std::string> words{"help"};
        if (*command != '\0') words.emplace_back(command);
        const ProgramOutput output = call_mediarig(words, folder.path());
        CHECK(output.status == 0);
        for (const char* word : {"UINT", "(Env:", "Excludes:", "Needs:", "kb(=", "[0x"})
            CHECK(output.out.find(word) == std::string::npos);
        for (const std::string& line : lines_of(output.out)) {
            CAPTURE(line);
            // A word that is longer than the line is not split.
            CHECK((line.size() <= 80 || line.find(' ', line.find_first_not_of(' ')) == std::string::npos));
        }
    }
}

TEST_CASE("an output file that cannot be written is an error, and two outputs cannot use the same file") {
    const Folder folder;
    for (const char* words : {"--help", "--version", "bench --help"}) {
        const ProgramOutput full =
            tool({"sh", "-c", std::string("\"$1\" ") + words + " > /dev/full", "sh", mediarig_program()});
        CHECK(full.status == 3);
        CHECK(full.err == "mediarig: standard output cannot be written: is it closed, or the disk full?\n");
    }
    const std::string store = folder / "r.db";
    REQUIRE(call_mediarig({"bench", folder.path(), "--suite", "verify", "--quick", "--quiet", "--store", store},
                          folder.path())
                .status == 3);
    const ProgramOutput output = call_mediarig(
        {"report", "-o", folder / "x", "--pdf=" + (folder / "x").string(), "--store", store}, folder.path());
    CHECK(output.status == 2);
    CHECK_THAT(output.err, ContainsSubstring("cannot share"));
    CHECK_FALSE(std::filesystem::exists(folder / "x"));
    const ProgramOutput nowhere =
        call_mediarig({"campaigns", "export", "last", "-o", "", "--store", store}, folder.path());
    CHECK(nowhere.status == 2);
    CHECK_THAT(nowhere.err, ContainsSubstring("the name of the file to write is empty"));
    const ProgramOutput homeless =
        call_mediarig({"results"}, folder.path(), {"HOME=", "XDG_DATA_HOME=", "MEDIARIG_STORE="});
    CHECK(homeless.status == 2);
    CHECK_THAT(homeless.err, ContainsSubstring("neither HOME nor XDG_DATA_HOME"));
}
