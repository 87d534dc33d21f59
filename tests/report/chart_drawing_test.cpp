// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/charts/chart_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/hostile_campaign.hpp"

using namespace mediarig;
using namespace mediarig::report;

namespace {

bool overlap(const DrawnBox& a, const DrawnBox& b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

std::vector<Chart> all_charts(const store::CampaignView& view) {
    const Figures figures(view);
    std::vector<Chart> charts = speed_charts(view, figures);
    std::ranges::move(detail_charts(view, figures), std::back_inserter(charts));
    return charts;
}

Chart chart_titled(const std::vector<Chart>& charts, const std::string& title) {
    const auto found = std::ranges::find(charts, title, &Chart::title);
    REQUIRE(found != charts.end());
    return *found;
}

bool within(double value, double from, double to) {
    return value >= from - 1e-6 && value <= to + 1e-6;
}

/// Rates of the passes of one cell in megabytes per second.
std::vector<double> rates(const store::DeviceView& device, const std::string& format, const std::string& cell) {
    std::vector<double> found;
    for (const store::PassView& pass : device.passes)
        for (const workload::CellResult& result : pass.cells)
            if (pass.pass.format == format && result.cell.id == cell)
                found.push_back(static_cast<double>(result.moved.count) * 1e3 /
                                static_cast<double>(result.elapsed.count()));
    return found;
}

} // namespace

TEST_CASE("charts have marks within the plot and texts within the drawing, without overlap") {
    for (const auto& view : {fakes::sample_campaign(), tests::hostile_campaign()})
        for (const Chart& chart : all_charts(view)) {
            CAPTURE(chart.id);
            const DrawnChart drawn = draw(chart);
            CHECK(drawn.series.size() == chart.series.size());
            for (const DrawnSeries& series : drawn.series)
                for (const DrawnMark& mark : series.marks) {
                    REQUIRE(within(mark.x, drawn.plot.left, drawn.plot.right));
                    for (const double y : {mark.y, mark.low, mark.high})
                        REQUIRE(within(y, drawn.plot.top, drawn.plot.bottom));
                    REQUIRE(within(mark.y, mark.high, mark.low)); // y grows downwards
                }
            for (std::size_t i = 0; i < drawn.words.size(); ++i) {
                const DrawnBox box = drawn.words[i].box();
                CAPTURE(drawn.words[i].text);
                REQUIRE(box.left >= 0);
                REQUIRE(box.right <= drawn.width + 0.01);
                REQUIRE(box.bottom <= drawn.height);
                for (std::size_t k = i + 1; k < drawn.words.size(); ++k) {
                    CAPTURE(drawn.words[k].text);
                    REQUIRE_FALSE(overlap(box, drawn.words[k].box()));
                }
            }
        }
}

TEST_CASE("each device has a chart per suite and direction with the recorded figures") {
    const auto view = fakes::sample_campaign();
    const auto charts = all_charts(view);
    for (const store::DeviceView& device : view.devices)
        for (const char* what :
             {"QuickBench, read rate by block size", "QuickBench, write rate by block size",
              "DiskTester sequential, MB/s", "DiskTester IOPS, ops/s", "QuickBench, blocks of 4 KB, read latency"})
            CHECK(chart_titled(charts, device.device.name + ", exFAT, APFS: " + what).series.size() >= 2);

    const Chart writing = chart_titled(charts, "slow, exFAT, APFS: QuickBench, write rate by block size");
    REQUIRE(writing.series.size() == 4);
    CHECK(writing.series[0].label == "exFAT, sequential");
    CHECK(writing.series[3].label == "APFS, random");
    CHECK_FALSE(writing.series[0].light);
    CHECK(writing.series[3].light);
    CHECK(writing.series[0].look == writing.series[2].look);
    CHECK(writing.series[0].look != writing.series[1].look);
    CHECK(writing.series[0].points.size() == 27);
    const ChartPoint& disturbed = writing.series[0].points[5];
    const auto passes = rates(view.devices[1], "exfat", "standard.seq_write.131072");
    REQUIRE(passes.size() == 2);
    CHECK(disturbed.x == 131072);
    CHECK(disturbed.low == Approx(4.1));
    CHECK(disturbed.high == Approx(std::max(passes[0], passes[1])));
    CHECK(disturbed.y == Approx((passes[0] + passes[1]) / 2));
    CHECK(disturbed.words.rfind("4.10 to ", 0) == 0);
}

TEST_CASE("a figure from a few operations is excluded from charts, and its neighbours are included") {
    auto view = fakes::sample_campaign();
    for (store::PassView& pass : view.devices[1].passes)
        for (workload::CellResult& cell : pass.cells)
            if (pass.pass.format == "exfat" && cell.cell.id == "standard.seq_write.131072") {
                cell.operations = 1;
                cell.end = workload::CellEnd::time;
            }
    const Chart writing = chart_titled(all_charts(view), "slow, exFAT, APFS: QuickBench, write rate by block size");
    REQUIRE(writing.series.size() == 4);
    CHECK(writing.series[0].points.size() == 26);
    CHECK(std::ranges::none_of(writing.series[0].points, [](const ChartPoint& point) { return point.x == 131072; }));
    CHECK(writing.series[1].points.size() == 27);
}

TEST_CASE("charts of one suite and direction share one scale") {
    const auto charts = all_charts(fakes::sample_campaign());
    const ValueRange a = chart_titled(charts, "fast, exFAT, APFS: QuickBench, write rate by block size").range;
    const ValueRange b = chart_titled(charts, "bargain, exFAT, APFS: QuickBench, write rate by block size").range;
    CHECK(a.low == b.low);
    CHECK(a.high == b.high);
    CHECK(a.high > 20 * a.low);
}

TEST_CASE("equal factors of block size have equal distances, and larger values are higher") {
    const DrawnChart drawn = draw(
        chart_titled(all_charts(fakes::sample_campaign()), "fast, exFAT, APFS: QuickBench, read rate by block size"));
    const auto& marks = drawn.series[0].marks;
    CHECK(marks[2].x - marks[1].x == Approx(marks[1].x - marks[0].x));
    CHECK(marks[8].y < marks[0].y);
    CHECK(marks[0].x == Approx(drawn.plot.left));
    CHECK(marks.back().x == Approx(drawn.plot.right));
}

TEST_CASE("values that span more than a factor of ten use a logarithmic axis, and other axes begin at zero") {
    const ChartAxis wide = value_axis({.low = 0.9, .high = 92});
    CHECK(wide.logarithmic);
    CHECK(wide.low <= 0.9);
    CHECK(wide.high >= 92);
    CHECK(wide.share_of(10) - wide.share_of(1) == Approx(wide.share_of(100) - wide.share_of(10)));
    const ChartAxis narrow = value_axis({.low = 30, .high = 92});
    CHECK_FALSE(narrow.logarithmic);
    CHECK(narrow.ticks == std::vector<double>{0, 50, 100});
    CHECK_FALSE(value_axis({.low = 0, .high = 92}).logarithmic); // zero has no logarithm
    CHECK(value_axis({}).share_of(0) == 0);
    for (double high = 1e-3; high < 1e9; high *= 1.37)
        for (const double low : {0.0, high / 3, high / 11, high / 1000, high / 1e6}) {
            CAPTURE(low, high);
            const ChartAxis axis = value_axis({.low = low, .high = high});
            CHECK(axis.low <= low);
            CHECK(axis.high >= high * (1 - 1e-12));
            CHECK(std::ranges::is_sorted(axis.ticks));
            CHECK(axis.ticks.size() >= 2);
            CHECK(axis.ticks.size() <= 9);
        }
}

TEST_CASE("too many lines for one chart are split into a chart per access, and no line is dropped") {
    auto view = fakes::sample_campaign();
    view.devices.resize(1);
    const auto passes = view.devices[0].passes;
    for (const char* more : {"hfs+", "fat32"})
        for (store::PassView pass : passes) {
            if (pass.pass.format != "exfat") continue;
            pass.pass.format = more;
            view.devices[0].passes.push_back(std::move(pass));
        }
    const auto charts = all_charts(view);
    for (const char* access : {"sequential read", "random read", "sequential write", "random write"}) {
        const std::string title = "fast, exFAT, APFS, HFS+, FAT32: QuickBench, ";
        CHECK(chart_titled(charts, title + access + " rate by block size").series.size() == 4);
    }
    for (const Chart& chart : charts)
        if (chart.kind != ChartKind::points) CHECK(chart.series.size() <= most_lines);
}

TEST_CASE("charts have different titles, which name medium, formats and quantity") {
    auto view = fakes::sample_campaign();
    const auto passes = view.devices[0].passes;
    for (const char* more : {"hfs+", "hfs+j", "fat32", "ext4", "ntfs"})
        for (store::PassView pass : passes) {
            if (pass.pass.format != "exfat") continue;
            pass.pass.format = more;
            view.devices[0].passes.push_back(std::move(pass));
        }
    std::set<std::string> titles;
    for (const Chart& chart : all_charts(view)) {
        CAPTURE(chart.title);
        CHECK(titles.insert(chart.title).second);
        CHECK(chart.title.starts_with(view.devices[chart.device].device.name + ", "));
        CHECK(
            std::ranges::any_of(std::initializer_list<const char*>{"rate", "latency", "MB/s", "ops/s"},
                                [&](const char* quantity) { return chart.title.find(quantity) != std::string::npos; }));
    }
    CHECK(titles.size() > 12);
}

TEST_CASE("the course of a rate over time contains all moved bytes") {
    const auto view = fakes::sample_campaign();
    const Chart chart = chart_titled(all_charts(view), "bargain, raw: verify, rate of the longest cells over time");
    const ChartSeries& line = chart.series[0];
    CHECK(line.label == "raw sequential write 1024 KB, pass 1");
    double moved = 0, before = 0;
    for (const ChartPoint& point : line.points) {
        moved += point.y * 1e6 * (point.x - before);
        before = point.x;
    }
    // The last fraction of a group of seconds is omitted.
    CHECK(moved == Approx(static_cast<double>(view.devices[2].passes[0].cells[0].moved.count)).epsilon(0.01));
    CHECK(line.points.size() > 100);
    CHECK(line.points.size() <= most_time_points);
}

TEST_CASE("the SVG contains each figure as the title of its mark and escapes foreign text") {
    const auto charts = all_charts(fakes::sample_campaign());
    const std::string svg = chart_svg(chart_titled(charts, "fast, exFAT, APFS: DiskTester IOPS, ops/s"));
    CHECK_THAT(svg, ContainsSubstring("role=\"img\" aria-label=\"fast, exFAT, APFS: DiskTester IOPS, ops/s\""));
    CHECK_THAT(svg, ContainsSubstring("<title>289 to 290 ops/s</title>"));
    for (const Chart& chart : all_charts(tests::hostile_campaign())) {
        const std::string drawn = chart_svg(chart);
        CHECK(drawn.find("<img") == std::string::npos);
        CHECK(drawn.find("<script") == std::string::npos);
    }
}

TEST_CASE("a chart with one block size or without data can be drawn") {
    Chart one{.id = "x",
              .title = "one",
              .kind = ChartKind::sweep,
              .unit = "MB/s",
              .categories = {},
              .series = {{.label = "exFAT", .points = {{.x = 4096, .y = 5, .low = 5, .high = 5, .words = "5 MB/s"}}}},
              .range = {5, 5}};
    const DrawnChart drawn = draw(one);
    CHECK(drawn.series[0].marks[0].x == Approx((drawn.plot.left + drawn.plot.right) / 2));
    one.series.clear();
    CHECK(draw(one).series.empty());
}
