// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/summary_text.hpp"

#include <algorithm>

#include "host/base/text_layout.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;
using measure::Grade;
using workload::Access;

namespace {

SummaryRow medium(const std::string& name, std::optional<Grade> grade, const std::string& cause) {
    return {.device = 0,
            .grade = grade,
            .cause = cause,
            .name = name,
            .size = "63.9 GB",
            .genuine = "unproven",
            .warnings = 0,
            .figures = {}};
}

/// Read and write rates of one format.
std::vector<SummaryFigure> rates(double read, double write, bool best = false) {
    return {{.passes = {read}, .best = best}, {.passes = {write}}};
}

ResultSummary summary_with(std::vector<std::string> formats, std::vector<SummaryRow> rows) {
    return {.source = "QuickBench averages, 1 pass",
            .columns = {{Access::sequential_read, "MB/s"}, {Access::sequential_write, "MB/s"}},
            .formats = std::move(formats),
            .rows = std::move(rows),
            .ranking = "red is fastest.",
            .counts = "2 media: 1 PASS, 1 FAIL"};
}

/// Two media, one without figures.
ResultSummary two_media(std::vector<std::string> formats = {"exfat"}) {
    SummaryRow red = medium("red", Grade::pass, "6 limits met"), dead = medium("dead", Grade::fail, "12 I/O errors");
    for (std::size_t i = 0; i < formats.size(); ++i) {
        const double slower = 10.0 * static_cast<double>(i);
        red.figures.push_back(rates(90 - slower, 30 - slower, i == 0 && formats.size() > 1));
        dead.figures.emplace_back(2);
    }
    return summary_with(std::move(formats), {dead, red});
}

std::string text_of(const ResultSummary& summary, std::size_t width, std::optional<std::size_t> most_lines = {}) {
    return render_summary(summary, {.width = width, .colour = Colour::plain, .most_lines = most_lines});
}

} // namespace

TEST_CASE("the summary of a wide terminal has one line per medium, with the cause after the verdict") {
    CHECK(text_of(two_media(), 100) ==
          "                                                       │  sequential, MB/s\n"
          "VERDICT              NAME     SIZE  GENUINE   WARNINGS │  read  write\n"
          "FAIL: 12 I/O errors  dead  63.9 GB  unproven         0 │\n"
          "PASS: 6 limits met   red   63.9 GB  unproven         0 │  90.0   30.0\n"
          "QuickBench averages, 1 pass, under exFAT.\n"
          "red is fastest.\n"
          "2 media: 1 PASS, 1 FAIL\n");
}

TEST_CASE("the summary of a narrow terminal has the cause below the verdict and the size below the name") {
    CHECK(text_of(two_media({"exfat", "apfs"}), 66) ==
          "                                              │  sequential, MB/s\n"
          "VERDICT       NAME     GENUINE   WARN  FORMAT │  read   write\n"
          "FAIL          dead     unproven     0         │\n"
          "12 I/O        63.9 GB                         │\n"
          "errors                                        │\n"
          "PASS          red      unproven     0  exFAT  │  90.0*   30.0\n"
          "6 limits met  63.9 GB                  APFS   │  80.0    20.0\n"
          "QuickBench averages, 1 pass; *: fastest format of the medium.\n"
          "red is fastest.\n"
          "2 media: 1 PASS, 1 FAIL\n");
}

TEST_CASE("no line of the summary exceeds a terminal of 80 columns") {
    for (const std::size_t width : {80u, 100u, 170u}) {
        const std::string text = text_of(summary_of(fakes::sample_campaign()), width);
        CAPTURE(text);
        CHECK(widest_line(text) <= width);
    }
}

TEST_CASE("the last screen has the worst media and counts the others") {
    ResultSummary summary = two_media();
    for (int i = 0; i < 18; ++i) summary.rows.push_back(summary.rows[1]);
    const std::string text = text_of(summary, 80, 12);
    CHECK_THAT(text, ContainsSubstring("FAIL") && ContainsSubstring("\nand 8 more, none of them worse\n"));
    CHECK(std::count(text.begin(), text.end(), '\n') <= 20);
}

TEST_CASE("colour marks the verdict only, and the name of the grade remains") {
    const std::string coloured = render_summary(two_media(), {.width = 100, .colour = Colour::ansi, .most_lines = {}});
    CHECK_THAT(coloured, ContainsSubstring("\033[1;31mFAIL\033[0m: 12 I/O errors") &&
                             ContainsSubstring("\033[1;32mPASS\033[0m: 6 limits met"));
}

TEST_CASE("a long name is shortened until the table fits") {
    ResultSummary summary = two_media();
    summary.rows[1].name = "a name that is much longer than usual";
    const std::string text = text_of(summary, 72);
    CHECK(widest_line(text) <= 72);
    CHECK_THAT(text, ContainsSubstring("…"));
}

TEST_CASE("media that could not be identified come before media that were not begun") {
    store::CampaignView view;
    view.campaign.state = store::CampaignState::interrupted;
    view.devices.resize(2);
    for (store::DeviceView& device : view.devices) device.device.identity.transport = media::Transport::image;
    view.devices[0].device.name = "waiting";
    view.devices[1].device.name = "absent";
    view.devices[1].device.identity.transport = media::Transport::unknown;
    view.devices[1].untested = {{.key = "m1.identify", .why = "no such image"}};
    const std::string text = text_of(summary_of(view), 80);
    CHECK(text.find("not identified") < text.find("campaign not"));
    CHECK_THAT(text, ContainsSubstring("0 of 2 media judged"));
}

TEST_CASE("the summary precedes the cards in a file and follows the tables on a terminal") {
    const store::CampaignView view = fakes::sample_campaign();
    const std::string file = render_tables(view, {.width = 100});
    CHECK(file.find("VERDICT") < file.find("Genuine?"));
    CHECK(times(file, "VERDICT") == 1);
    const std::string screen = render_tables(view, {.width = 100, .ends_on_screen = true});
    CHECK(screen.find("VERDICT") > screen.find("Usable bytes by format"));
    CHECK_THAT(render_tables_only(view, {.width = 100}),
               !ContainsSubstring("VERDICT") && !ContainsSubstring("Genuine?"));
}

TEST_CASE("an empty summary has no text") {
    CHECK(render_summary({}, {}).empty());
}
