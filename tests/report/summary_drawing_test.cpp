// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/html/summary_drawing.hpp"

#include <algorithm>

#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/hostile_campaign.hpp"

using namespace mediarig;
using namespace mediarig::report;
using workload::Access;

namespace {

bool overlap(const DrawnBox& a, const DrawnBox& b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/// Media whose rates are multiples of 10 MB/s.
ResultSummary summary_of_media(std::size_t media, std::vector<std::string> formats) {
    ResultSummary summary{.source = {},
                          .columns = {{Access::sequential_read, "MB/s"}, {Access::random_read, "MB/s"}},
                          .formats = std::move(formats),
                          .rows = {},
                          .ranking = {},
                          .counts = {}};
    for (std::size_t i = 0; i < media; ++i) {
        SummaryRow row{.device = i,
                       .grade = {},
                       .cause = {},
                       .name = "card " + std::to_string(i),
                       .size = {},
                       .genuine = {},
                       .warnings = {},
                       .figures = {}};
        for (std::size_t format = 0; format < summary.formats.size(); ++format)
            row.figures.push_back({{.passes = {10.0 * static_cast<double>(i + 1)}}, {.passes = {1}}});
        summary.rows.push_back(std::move(row));
    }
    return summary;
}

} // namespace

TEST_CASE("the bars of a direction begin at zero, and their lengths are proportional to the sequential rates") {
    const DrawnBars drawn = draw_summary(summary_of_media(3, {"exfat"}), false);
    CHECK(drawn.title == "Sequential read, MB/s");
    REQUIRE(drawn.bars.size() == 3);
    const auto length = [&](std::size_t bar) { return drawn.bars[bar].right - drawn.bars[bar].left; };
    CHECK(drawn.bars[0].words == "card 2, exFAT: 30.0 MB/s"); // the fastest first
    CHECK(length(0) == Approx(3 * length(2)));
    CHECK(length(1) == Approx(2 * length(2)));
    CHECK(drawn.lines.front() == Approx(drawn.bars[0].left));
    CHECK(drawn.keys.empty());
    CHECK(draw_summary(summary_of_media(3, {"exfat"}), true).bars.empty());
}

TEST_CASE("random rates are drawn if there are no sequential ones") {
    ResultSummary summary = summary_of_media(2, {"exfat"});
    summary.columns = {{Access::random_write, "ops/s"}};
    for (SummaryRow& row : summary.rows) row.figures[0].resize(1);
    CHECK(draw_summary(summary, true).title == "Random write, ops/s");
}

TEST_CASE("a medium without the figure has no bar, and several passes have their range") {
    ResultSummary summary = summary_of_media(2, {"exfat", "apfs"});
    for (auto& format : summary.rows[0].figures) format[0].passes.clear();
    summary.rows[1].figures[1][0].passes = {10, 20};
    const DrawnBars drawn = draw_summary(summary, false);
    REQUIRE(drawn.bars.size() == 2);
    CHECK(drawn.bars[0].low == drawn.bars[0].high);
    CHECK(drawn.bars[1].low < drawn.bars[1].right);
    CHECK(drawn.bars[1].high > drawn.bars[1].right);
    CHECK(drawn.bars[1].words == "card 1, APFS: 10.0 to 20.0 MB/s");
    CHECK(drawn.keys.size() == 2);
}

TEST_CASE("names, ticks and legend do not overlap and are within the drawing") {
    std::vector<ResultSummary> summaries{summary_of_media(12, {"exfat"}),
                                         summary_of_media(12, {"exfat", "hfs+j", "apfs"}),
                                         summary_of(fakes::sample_campaign()), summary_of(tests::hostile_campaign())};
    for (const ResultSummary& summary : summaries)
        for (const bool writing : {false, true}) {
            const DrawnBars drawn = draw_summary(summary, writing);
            for (const DrawnBar& bar : drawn.bars) {
                CHECK(bar.left <= bar.right);
                CHECK(bar.right <= drawn.width);
                CHECK(bar.bottom <= drawn.axis_bottom);
            }
            for (std::size_t i = 0; i < drawn.words.size(); ++i) {
                const DrawnBox box = drawn.words[i].box();
                CAPTURE(drawn.words[i].text);
                CHECK(box.left >= 0);
                CHECK(box.right <= drawn.width + 0.01);
                CHECK(box.bottom <= drawn.height);
                for (std::size_t k = i + 1; k < drawn.words.size(); ++k) {
                    CAPTURE(drawn.words[k].text);
                    CHECK_FALSE(overlap(box, drawn.words[k].box()));
                }
            }
        }
}

TEST_CASE("the drawings of a summary escape names") {
    ResultSummary summary = summary_of_media(1, {"exfat"});
    summary.rows[0].name = "<b>&";
    const std::string html = summary_figures(summary);
    CHECK_THAT(html, ContainsSubstring("&lt;b&gt;&amp;, exFAT: 10.0 MB/s") && !ContainsSubstring("<b>"));
    CHECK(summary_figures({}).empty());
}
