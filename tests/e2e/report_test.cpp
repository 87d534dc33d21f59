// SPDX-License-Identifier: GPL-3.0-or-later
/// Reports and certificates as files, checked by independent tools.
#include <algorithm>
#include <fstream>
#include <regex>

#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/program.hpp"
#include "tests/fakes/keep_campaign.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::e2e;

namespace {

using Words = std::vector<std::string>;

/// A folder with a store of the sample campaign. "@" in a command means the folder.
class Kept {
public:
    explicit Kept(const store::CampaignView& campaign = fakes::sample_campaign()) {
        auto store = store::open_store(folder / "results.db");
        REQUIRE(store);
        REQUIRE(fakes::keep_campaign(**store, campaign, 3));
    }
    [[nodiscard]] ProgramOutput call(std::vector<std::string> words,
                                     const std::vector<std::string>& environment = {}) const {
        words.insert(words.end(), {"--store", "@/results.db"});
        for (std::string& word : words)
            if (const auto at = word.find("@/"); at != std::string::npos) word.replace(at, 1, folder.path().string());
        return call_mediarig(words, folder.path(), environment);
    }
    /// Makes a program with this line the only entry of the folder `place` in $PATH.
    void put_program(const std::string& place, const std::string& name, const std::string& script) const {
        std::filesystem::create_directories(folder / place);
        std::ofstream(folder / place / name) << "#!/bin/sh\n" << script << '\n';
        std::filesystem::permissions(folder / place / name, std::filesystem::perms::owner_all);
    }
    Folder folder;
};

bool has_program(const std::string& name) {
    return tool({"sh", "-c", "command -v " + name}).status == 0;
}

std::string pages_of(const std::filesystem::path& pdf) {
    const ProgramOutput output = tool({"pdfinfo", pdf.string()});
    std::smatch found;
    return std::regex_search(output.out, found, std::regex("Pages: +([0-9]+)")) ? found[1].str() : output.err;
}

} // namespace

TEST_CASE("the checksum on a certificate equals the sha256sum of the record that results --json prints") {
    const Kept kept;
    const ProgramOutput made = kept.call({"report", "--certificate", "--device", "bargain", "-o", "@/one.html"});
    CAPTURE(made.err);
    REQUIRE(made.status == 0);
    const std::string page = tests::text_of(kept.folder / "one.html");
    std::smatch sum, device;
    REQUIRE(std::regex_search(page, sum, std::regex("class=\"sum\">([0-9a-f]{64})<")));
    REQUIRE(std::regex_search(page, device, std::regex("--device ([^ ]+) --json")));
    const ProgramOutput record = kept.call({"results", "last", "--device", device[1].str(), "--json"});
    REQUIRE(record.status == 0);
    std::ofstream(kept.folder / "record.json", std::ios::binary) << record.out;
    CHECK(tool({"sha256sum", (kept.folder / "record.json").string()}).out.substr(0, 64) == sum[1].str());
}

TEST_CASE("a nickname appears in tables and changes neither certificate nor record") {
    // A label in the plan would replace the nickname.
    auto unlabelled = fakes::sample_campaign();
    for (store::DeviceView& device : unlabelled.devices) device.device.label.clear();
    const Kept kept(unlabelled);
    const std::vector<std::string> data{"XDG_DATA_HOME=" + (kept.folder / "data").string()};
    const Words record{"results", "last", "--device", "SWIFT64000000117", "--json"};
    const Words sheet{"report", "--certificate", "--device", "SWIFT64000000117", "-o", "@/sheet.html", "--force"};
    const ProgramOutput before = kept.call(record, data);
    REQUIRE(kept.call(sheet, data).status == 0);
    const std::string unnamed = tests::text_of(kept.folder / "sheet.html");
    REQUIRE(call_mediarig({"names", "give", "SWIFT64000000117", "Nick"}, kept.folder.path(), data).status == 0);
    CHECK_THAT(kept.call({"results"}, data).out, ContainsSubstring("“Nick”"));
    CHECK(kept.call(record, data).out == before.out);
    CHECK(kept.call({"results", "last", "--device", "Nick", "--json"}, data).out == before.out);
    REQUIRE(kept.call(sheet, data).status == 0);
    CHECK(tests::text_of(kept.folder / "sheet.html") == unnamed);
}

TEST_CASE("the default file name of a report consists of number and name of its campaign") {
    const Kept kept;
    const auto here = [&](const std::string& words) {
        return tool({"sh", "-c", "cd \"$1\" && exec \"$2\" report " + words + " --store results.db", "sh",
                     kept.folder.path().string(), mediarig_program()});
    };
    CHECK(here("last").status == 0);
    CHECK(std::filesystem::exists(kept.folder / "mediarig-1-lot-2026-41-incoming.html"));
    CHECK(here("last --certificate").status == 0);
    CHECK(std::filesystem::exists(kept.folder / "mediarig-1-lot-2026-41-incoming-certificate.html"));
    CHECK(here("last").status == 2); // the file already exists
    auto hostile = fakes::sample_campaign();
    hostile.campaign.name = "../../x\x1b[31m; rm -rf";
    const Kept other(hostile);
    CHECK(tool({"sh", "-c", "cd \"$1\" && exec \"$2\" report --store results.db", "sh", other.folder.path().string(),
                mediarig_program()})
              .status == 0);
    CHECK(std::filesystem::exists(other.folder / "mediarig-1-x-31m-rm-rf.html"));
}

TEST_CASE("an existing report or certificate is kept without --force") {
    const Kept kept;
    REQUIRE(kept.call({"report", "--certificate", "-o", "@/all.html"}).status == 0);
    const ProgramOutput again = kept.call({"report", "--certificate", "-o", "@/all.html"});
    CHECK(again.status == 2);
    CHECK_THAT(again.err, ContainsSubstring("all.html"));
    CHECK(kept.call({"report", "--certificate", "-o", "@/all.html", "--force"}).status == 0);
    // No option replaces a page that mediarig did not write.
    std::ofstream(kept.folder / "mine.html") << "<!DOCTYPE html><p>mine";
    CHECK(kept.call({"report", "-o", "@/mine.html", "--force"}).status == 2);
    CHECK(tests::text_of(kept.folder / "mine.html") == "<!DOCTYPE html><p>mine");
    const ProgramOutput page = kept.call({"report", "-o", "-"});
    CHECK(page.status == 0);
    CHECK(page.out.starts_with("<!DOCTYPE html>"));
    CHECK(page.out.ends_with("</html>\n"));
    CHECK_FALSE(std::filesystem::exists(kept.folder / "-"));
    CHECK(kept.call({"report", "-o", "-", "--open"}).status == 2);
    const ProgramOutput other = kept.call({"report", "-o", "@/page.pdf"});
    CHECK(other.status == 2);
    CHECK_THAT(other.err, ContainsSubstring("-o writes HTML") && ContainsSubstring("page.pdf"));
    CHECK_FALSE(std::filesystem::exists(kept.folder / "page.pdf"));
    const ProgramOutput nobody = kept.call({"report", "--device", "nobody", "-o", "@/none.html"});
    CHECK(nobody.status == 2);
    CHECK_THAT(nobody.err, ContainsSubstring("has no device 'nobody'"));
    CHECK_FALSE(std::filesystem::exists(kept.folder / "none.html"));
    // A device can also be named by its serial.
    CHECK(kept.call({"report", "--device", "SWIFT64000000117", "-o", "@/swift.html"}).status == 0);
    CHECK(tests::text_of(kept.folder / "swift.html").find("bargain: ") == std::string::npos);
}

TEST_CASE("a certificate takes one printed page per device, and a report of three devices takes two to six pages") {
    if (!has_program("chromium")) MEDIARIG_SKIP("chromium is not installed");
    if (!has_program("pdfinfo")) MEDIARIG_SKIP("pdfinfo (poppler-utils) is not installed");
    const Kept kept;
    const ProgramOutput one = kept.call({"report", "--certificate", "--device", "fast", "--pdf=@/one.pdf"});
    CAPTURE(one.err);
    REQUIRE(one.status == 0);
    CHECK_THAT(one.out, ContainsSubstring("one.pdf"));
    CHECK(pages_of(kept.folder / "one.pdf") == "1");
    CHECK_THAT(tool({"pdfinfo", (kept.folder / "one.pdf").string()}).out, ContainsSubstring("(A4)"));
    REQUIRE(kept.call({"report", "--certificate", "--pdf=@/three.pdf"}).status == 0);
    CHECK(pages_of(kept.folder / "three.pdf") == "3");
    REQUIRE(kept.call({"report", "--pdf=@/all.pdf", "-o", "@/all.html"}).status == 0);
    CHECK(std::filesystem::exists(kept.folder / "all.html"));
    const int pages = std::stoi(pages_of(kept.folder / "all.pdf"));
    CHECK(pages >= 2);
    CHECK(pages <= 6);
    // The browser leaves no files.
    const ProgramOutput left = tool({"sh", "-c", "ls -d ${TMPDIR:-/tmp}/mediarig-print-* 2>/dev/null"});
    CHECK(left.out.empty());
}

TEST_CASE("report --pdf without a working browser prints one line and exits with 3") {
    const Kept kept;
    std::filesystem::create_directories(kept.folder / "empty");
    const std::string empty = "PATH=" + (kept.folder / "empty").string();
    const ProgramOutput none = kept.call({"report", "--pdf=@/x.pdf"}, {empty});
    CHECK(none.status == 3);
    CHECK_THAT(none.err, ContainsSubstring("no browser that prints to PDF was found"));
    CHECK(std::ranges::count(none.err, '\n') == 1);

    kept.put_program("broken", "chromium", "echo 'no display' >&2; exit 7");
    const ProgramOutput broken = kept.call({"report", "--pdf=@/x.pdf"}, {"PATH=" + (kept.folder / "broken").string()});
    CHECK(broken.status == 3);
    CHECK_THAT(broken.err, ContainsSubstring("made no PDF (exit status 7: no display)"));
    CHECK(std::ranges::count(broken.err, '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(kept.folder / "x.pdf"));
    // This is detected before a browser is started.
    std::ofstream(kept.folder / "letter.pdf") << "dear seller";
    const ProgramOutput kept_letter = kept.call({"report", "--pdf=@/letter.pdf", "--force"}, {empty});
    CHECK(kept_letter.status == 2);
    CHECK(tests::text_of(kept.folder / "letter.pdf") == "dear seller");
}

TEST_CASE("report --open passes the file to xdg-open, and prints one line if xdg-open fails or is missing") {
    const Kept kept;
    kept.put_program("desktop", "xdg-open", "echo \"$1\" > " + (kept.folder / "opened").string());
    const std::string desktop = "PATH=" + (kept.folder / "desktop").string() + ":/usr/bin:/bin";
    const ProgramOutput shown = kept.call({"report", "-o", "@/page.html", "--open"}, {desktop});
    CAPTURE(shown.err);
    CHECK(shown.status == 0);
    CHECK(tests::text_of(kept.folder / "opened") == (kept.folder / "page.html").string() + "\n");

    kept.put_program("desktop", "xdg-open", "exit 3");
    const ProgramOutput nothing = kept.call({"report", "-o", "@/two.html", "--open"}, {desktop});
    CHECK(nothing.status == 3);
    CHECK(nothing.err == "mediarig: " + (kept.folder / "two.html").string() +
                             " was written, but is not shown (xdg-open opened nothing, exit status 3): open it in a "
                             "browser\n");
    CHECK(std::ranges::count(nothing.err, '\n') == 1);
    CHECK(std::filesystem::exists(kept.folder / "two.html"));
    const ProgramOutput missing =
        kept.call({"report", "-o", "@/three.html", "--open"}, {"PATH=" + (kept.folder / "none").string()});
    CHECK(missing.status == 3);
    CHECK(missing.err == "mediarig: " + (kept.folder / "three.html").string() +
                             " was written, but is not shown (xdg-open is not installed): open it in a browser\n");
    CHECK(missing.out == "report: " + (kept.folder / "three.html").string() + "\n");
}
