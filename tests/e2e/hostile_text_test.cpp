// SPDX-License-Identifier: GPL-3.0-or-later
/// Names from media, files, plans and records of older runs must be harmless text on the terminal, on the page and in
/// tables for other programs.
#include <fstream>
#include <regex>
#include <sstream>

#include "host/base/text.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/fakes/keep_campaign.hpp"
#include "tests/json.hpp"
#include "tests/report/hostile_campaign.hpp"

using namespace mediarig;
using namespace mediarig::e2e;

namespace {

/// Text that sets the terminal's title, begins a C1 sequence, changes the text direction, begins a new line, and moves
/// the cursor to its start.
const std::string hostile = "\x1B]0;owned\x07\u009B31m\u202Egnp\u2066\nforged: PASS\rx\x7F\u0085";

/// Returns a line of `text` that contains a control character or invalid UTF-8, or that begins within a hostile name.
/// Empty if every line is clean.
std::string bad_line(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with('\r')) line.pop_back(); // CSV lines end with CR LF
        if (!is_printable(line) || line.starts_with("forged")) return line;
    }
    return {};
}

std::string without(std::string text, const std::regex& what) {
    return std::regex_replace(text, what, "");
}

/// An image with a FAT whose label and OEM name contain hostile text within their eleven and eight bytes.
void make_volume(const std::filesystem::path& file) {
    make_image(file, 16 << 20);
    REQUIRE(tool({"mkfs.fat", "-F", "16", "-n", "CARD", file.string()}).status == 0);
    std::fstream image(file, std::ios::in | std::ios::out | std::ios::binary);
    image.seekp(3).write("\x1B]0;a\x07\n", 8);
    image.seekp(43).write("\x1B[31m\x9B\nA\r\x07 ", 11);
}

} // namespace

TEST_CASE("no command prints a control character from a medium, file, plan or record") {
    const Folder folder;
    const auto store = folder / "results.db", volume = folder / "volume.img", plan = folder / "plan.json";
    {
        auto opened = store::open_store(store);
        REQUIRE(opened);
        store::CampaignView view = tests::hostile_campaign(hostile);
        view.campaign.id = "c1";
        REQUIRE(fakes::keep_campaign(**opened, view, view.devices.size()));
    }
    make_volume(volume);
    write_file(plan, nlohmann::json{{"mediarig_plan", 1},
                                    {"name", hostile},
                                    {hostile, hostile},
                                    {"media", {{{"path", hostile}, {"name", hostile}}}},
                                    {"suites", {hostile}}}
                         .dump());
    const std::string odd_image = (folder / ("card" + hostile.substr(0, 12) + "\u202E\n.img")).string();
    make_image(odd_image, 1 << 20);
    const auto good_plan = folder / "good.json";
    write_file(good_plan, nlohmann::json{{"mediarig_plan", 1},
                                         {"name", "p"},
                                         {"media", {{{"image", volume.string()}, {"confirm", volume.string()}}}},
                                         {"formats", {"exfat"}},
                                         {"suites", nlohmann::json::array()}}
                              .dump());

    // JSON keeps the original text. Checked before the rows below, which add campaigns.
    const ProgramOutput json = call_mediarig({"results", "--store", store, "--json"}, folder.path());
    CHECK(nlohmann::json::parse(json.out).dump().find(nlohmann::json(hostile).dump()) != std::string::npos);
    CHECK(json.out.find("\\u009b31m\\u202egnp\\u2066\\nforged") != std::string::npos);

    const std::vector<std::string> rows[] = {
        {"results", "--store", store},
        {"results", "--store", store, "--json"},
        {"results", "--store", store, "--csv"},
        {"results", "--store", store, "--comparison-csv"},
        {"results", "--store", store, "--campaign", hostile},
        {"results", "--store", store, "--device", hostile},
        {"results", "--store", folder / hostile},
        {"report", "--store", store, "-o", folder / "page.html"},
        {"report", "--store", store, "-o", folder / (hostile + ".html")},
        {"report", "--store", store, "-o", folder / ("none" + hostile) / "page.html"},
        {"run", plan, "--store", store},
        {"run", folder / hostile, "--store", store},
        {"run", good_plan, "--dry-run"},
        {"run", good_plan, "--dry-run", "--json"},
        {"inspect", volume},
        {"inspect", volume, "--json"},
        {"inspect", volume, "--expect", "sd"},
        {"inspect", volume, "--expect", hostile},
        {"inspect", volume, "--hex", hostile},
        {"inspect", odd_image},
        {"format", odd_image, "--fs", "exfat", "--confirm", hostile},
        {"format", volume, "--fs", hostile, "--confirm", hostile},
        {"format", volume, "--fs", "exfat", "--label", hostile, "--confirm", volume},
        {"bench", odd_image, "--suite", "verify", "--raw", "--confirm", hostile, "--store", store},
        {"bench", folder / hostile, "--suite", hostile},
        {"verify", odd_image, "--probe", "--confirm", hostile, "--store", store},
        {"compare", odd_image, "--formats", hostile, "--confirm", hostile, "--dry-run"},
        {"compare", volume, "--confirm", volume, "--deviation", hostile, "--dry-run"},
        {"devices"},
        {"devices", "--json"},
        {"devices", "--agent", hostile},
        {"lab", "cards"},
        {"lab", "plug", hostile},
        {"lab", "info"},
        {"rig", "status", "--rig", hostile},
        {"rig", "find"},
        {hostile},
        {"results", "--" + hostile},
    };
    for (const auto& words : rows) {
        CAPTURE(words);
        const ProgramOutput output =
            call_mediarig(words, folder.path(), {"MEDIARIG_STORE=" + (folder / "default.db").string()});
        CAPTURE(output.out, output.err);
        CHECK(output.out + output.err != "");
        CHECK(bad_line(output.out) == "");
        CHECK(bad_line(output.err) == "");
    }

    // On a terminal only the colour sequences of mediarig pass.
    const ProgramOutput drawn =
        tool({"script", "-qec", mediarig_program() + " results --store " + store.string(), "/dev/null"});
    CAPTURE(drawn.out);
    CHECK(drawn.out.find("\x1B[1m") != std::string::npos);
    CHECK(bad_line(without(drawn.out, std::regex("\x1B\\[(0|1|2|1;3[123])m"))) == "");

    const std::string page = read_file(folder / "page.html");
    REQUIRE(page.find("forged: PASS") != std::string::npos);
    for (const char* part : {"\x1B", "\x07", "\u009B", "\u202E", "\u2066", "\nforged"}) {
        CAPTURE(part);
        CHECK(page.find(part) == std::string::npos);
    }
}
