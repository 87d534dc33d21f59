// SPDX-License-Identifier: GPL-3.0-or-later
/// A browser we did not write opens the report; what its live charts hold is compared with the record.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "host/report/html/html.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/chromium.hpp"
#include "tests/report/hostile_campaign.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using nlohmann::json;
using workload::Access;
using workload::CellResult;

namespace {

constexpr Access accesses[] = {Access::sequential_read, Access::sequential_write, Access::random_read,
                               Access::random_write};
const char* const access_names[] = {"seq_read", "seq_write", "random_read", "random_write"};
const char* const formats[] = {"exfat", "apfs"};
const char* const format_titles[] = {"exFAT", "APFS"};

std::string listed(const std::vector<std::string>& lines) {
    if (lines.empty()) return "none";
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

double megabytes_per_second(const CellResult& cell) {
    return static_cast<double>(cell.moved.count) * 1e3 / static_cast<double>(cell.elapsed.count());
}

/// The cells of one device, format and suite that `wanted` picks, pass by pass.
template <class Wanted>
std::vector<const CellResult*> cells(const store::DeviceView& device, const std::string& format, Wanted wanted) {
    std::vector<const CellResult*> found;
    for (const store::PassView& pass : device.passes)
        for (const CellResult& cell : pass.cells)
            if (pass.pass.format == format && wanted(cell)) found.push_back(&cell);
    return found;
}

const json& dataset(const json& chart, const std::string& label) {
    for (const json& set : chart["datasets"])
        if (set["label"] == label) return set;
    FAIL("no line '" << label << "' in the chart");
    return chart;
}

void check_points(const json& set, const std::map<double, std::vector<double>>& expected) {
    REQUIRE(set["points"].size() == expected.size());
    std::size_t i = 0;
    for (const auto& [x, passes] : expected) {
        double sum = 0;
        for (const double value : passes) sum += value;
        REQUIRE(set["points"][i][0].get<double>() == Approx(x));
        REQUIRE(set["points"][i][1].get<double>() == Approx(sum / static_cast<double>(passes.size())));
        REQUIRE(set["ranges"][i][0].get<double>() == Approx(*std::min_element(passes.begin(), passes.end())));
        REQUIRE(set["ranges"][i][1].get<double>() == Approx(*std::max_element(passes.begin(), passes.end())));
        ++i;
    }
}

} // namespace

TEST_CASE("the charts that a browser shows hold the figures of the record") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const auto view = fakes::sample_campaign();
    static const auto seen = look_at(report::render_html(view)); // once for all sections
    REQUIRE(reason(seen) == "success");
    const json& charts = seen->page["charts"];

    SECTION("sweep curves: every block size of every operation, format and device, with the range of the passes") {
        for (std::size_t a = 0; a < 4; ++a) {
            const json& chart = charts["sweep-quickbench-" + std::string(access_names[a])];
            CHECK(chart["x"] == "logarithmic");
            CHECK(chart["y"] == "linear");
            CHECK(chart["xTicks"][0] == "4 KB");
            for (const store::DeviceView& device : view.devices)
                for (std::size_t f = 0; f < 2; ++f) {
                    std::map<double, std::vector<double>> expected;
                    for (const CellResult* cell : cells(device, formats[f], [&](const CellResult& c) {
                             return c.cell.access == accesses[a] &&
                                    (c.cell.table == "standard" || c.cell.table == "large" ||
                                     c.cell.table == "extended");
                         }))
                        expected[static_cast<double>(cell->cell.block.count)].push_back(megabytes_per_second(*cell));
                    CHECK(expected.size() == (a < 2 ? 27 : 9));
                    const json& line = dataset(chart, device.device.name + " · " + format_titles[f]);
                    CHECK(line["visible"] == true);
                    check_points(line, expected);
                    // Equal factors in block size are equal distances on the axis, and more is higher.
                    const auto pixel = [&](std::size_t i, int axis) { return line["pixels"][i][axis].get<double>(); };
                    CHECK(pixel(2, 0) - pixel(1, 0) == Approx(pixel(1, 0) - pixel(0, 0)).epsilon(0.01));
                    CHECK(pixel(8, 1) < pixel(0, 1));
                }
        }
    }
    SECTION("comparison of formats: QuickBench averages and DiskTester's operations a second") {
        for (const store::DeviceView& device : view.devices)
            for (std::size_t f = 0; f < 2; ++f) {
                std::map<double, std::vector<double>> averages;
                for (std::size_t a = 0; a < 4; ++a) {
                    const auto rows = cells(device, formats[f], [&](const CellResult& c) {
                        return c.cell.access == accesses[a] && c.cell.table == "standard";
                    });
                    REQUIRE(rows.size() == 18);
                    for (std::size_t pass = 0; pass < 2; ++pass) {
                        double sum = 0;
                        for (std::size_t i = 0; i < 9; ++i) sum += megabytes_per_second(*rows[9 * pass + i]);
                        averages[static_cast<double>(a)].push_back(sum / 9);
                    }
                }
                const std::string label = device.device.name + " · " + format_titles[f];
                check_points(dataset(charts["formats-quickbench"], label), averages);

                std::map<double, std::vector<double>> rates;
                for (const CellResult* cell :
                     cells(device, formats[f], [](const CellResult& c) { return c.cell.table == "iops"; }))
                    rates[cell->cell.access == Access::random_write ? 0 : 1].push_back(
                        static_cast<double>(cell->operations) * 1e9 / static_cast<double>(cell->elapsed.count()));
                check_points(dataset(charts["formats-iops"], label), rates);
            }
    }
    SECTION("latency percentiles: of all passes together, on a logarithmic axis") {
        const json& chart = charts["latency-quickbench-standard-random_write"];
        CHECK(chart["y"] == "logarithmic");
        CHECK(chart["xTicks"] == json({"p50", "p90", "p99", "p99.9", "max"}));
        const double quantiles[] = {0.5, 0.9, 0.99, 0.999, 1.0};
        for (const store::DeviceView& device : view.devices) {
            measure::Histogram all;
            for (const CellResult* cell :
                 cells(device, "apfs", [](const CellResult& c) { return c.cell.id == "standard.random_write.4096"; }))
                all.merge(cell->latency);
            const json& line = dataset(chart, device.device.name + " · APFS");
            REQUIRE(line["points"].size() == 5);
            for (std::size_t i = 0; i < 5; ++i)
                CHECK(line["points"][i][1].get<double>() ==
                      Approx(static_cast<double>(all.quantile(quantiles[i])->count())));
        }
    }
    SECTION("rate over time: what was moved by then") {
        for (std::size_t d = 0; d < view.devices.size(); ++d) {
            const json& chart = charts["time-" + std::to_string(d) + "-verify"];
            CHECK(chart["x"] == "linear");
            const json& line = dataset(chart, "raw sequential write 1024 KB, pass 1");
            const CellResult& cell = view.devices[d].passes[0].cells[0];
            double moved = 0;
            double before = 0;
            for (const json& point : line["points"]) {
                moved += point[1].get<double>() * 1e6 * (point[0].get<double>() - before);
                before = point[0].get<double>();
            }
            // The last fraction of a group of seconds is left out.
            CHECK(moved == Approx(static_cast<double>(cell.moved.count)).epsilon(0.01));
            CHECK(line["points"].size() > 100);
            CHECK(line["points"].size() <= 240);
        }
    }
    SECTION("every chart is drawn, nothing was requested, and no script complained") {
        CHECK(charts.size() == 22);
        for (const auto& [id, chart] : charts.items()) {
            CAPTURE(id);
            CHECK(chart["painted"].get<int>() > 2000);
        }
        CHECK(listed(seen->requests) == "none");
        CHECK(listed(seen->console) == "none");
    }
}

TEST_CASE("the judge sees requests and complaints where there are any") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    std::string page = report::render_html(fakes::sample_campaign());
    const std::string policy = "Content-Security-Policy";
    const std::string fetch = "console.error('planted'); fetch('http://127.0.0.1:9/planted').catch(() => {});";
    const auto forbidden = look_at(page, {.extra_script = fetch});
    REQUIRE(reason(forbidden) == "success");
    CHECK_FALSE(forbidden->console.empty());
    // The page's own policy stops even a script of the page's own.
    CHECK(std::none_of(forbidden->requests.begin(), forbidden->requests.end(),
                       [](const std::string& url) { return url.find("planted") != std::string::npos; }));

    page.replace(page.find(policy), policy.size(), "nothing");
    const auto allowed = look_at(page, {.extra_script = fetch});
    REQUIRE(reason(allowed) == "success");
    CHECK(std::any_of(allowed->requests.begin(), allowed->requests.end(),
                      [](const std::string& url) { return url.find("planted") != std::string::npos; }));
}

TEST_CASE("hostile names stay text in a browser") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const auto seen = look_at(report::render_html(hostile_campaign()));
    REQUIRE(reason(seen) == "success");
    CHECK(seen->page["heading"] == hostile_text);
    CHECK(seen->page["images"] == 0);
    CHECK(seen->page["taken"].is_null());
    CHECK(seen->page["charts"].size() > 10);
    CHECK(listed(seen->requests) == "none");
    CHECK(listed(seen->console) == "none");
}

TEST_CASE("at the width of a phone the page does not scroll sideways, while tables scroll inside") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    for (const int width : {390, 1200}) {
        const auto seen = look_at(report::render_html(fakes::sample_campaign()), {.width = width});
        REQUIRE(reason(seen) == "success");
        CHECK(seen->page["width"].get<int>() == width);
        CHECK(seen->page["overflow"].get<int>() == 0);
        CHECK(seen->page["tables"].get<int>() > 10);
    }
    const auto hostile = look_at(report::render_html(hostile_campaign()), {.width = 390});
    REQUIRE(reason(hostile) == "success");
    CHECK(hostile->page["overflow"].get<int>() == 0);
}

namespace {

/// Relative luminance of "rgb(r, g, b)", WCAG 2.1.
double luminance(const std::string& colour) {
    int parts[3]{};
    REQUIRE(std::sscanf(colour.c_str(), "rgb(%d, %d, %d)", &parts[0], &parts[1], &parts[2]) == 3);
    const auto linear = [](int part) {
        const double share = part / 255.0;
        return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(parts[0]) + 0.7152 * linear(parts[1]) + 0.0722 * linear(parts[2]);
}

double contrast(const std::string& a, const std::string& b) {
    const double one = luminance(a), other = luminance(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
}

} // namespace

TEST_CASE("the drawing of a layout can be read on a phone and on a desk, in light and in dark") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const std::string page = report::render_html(fakes::sample_campaign());
    for (const int width : {390, 1200})
        for (const bool dark : {false, true}) {
            CAPTURE(width, dark);
            const auto seen = look_at(page, {.width = width, .dark = dark});
            REQUIRE(reason(seen) == "success");
            CHECK(seen->page["overflow"].get<int>() == 0);
            const json& layouts = seen->page["layouts"];
            CHECK(layouts.size() == 9);
            for (const json& layout : layouts) {
                const double left = layout["box"]["left"], right = layout["box"]["right"];
                CHECK(right - left > 250);
                CHECK(left >= 0);
                CHECK(right <= width);
                const json& regions = layout["regions"];
                const json& letters = layout["letters"];
                REQUIRE(regions.size() == letters.size());
                CHECK(regions[0]["left"].get<double>() == Approx(left).margin(1));
                CHECK(regions.back()["right"].get<double>() == Approx(right).margin(1));
                for (std::size_t i = 0; i < regions.size(); ++i) {
                    // Each letter stands in its own region, on a ground that it can be read on (WCAG AA: 4.5).
                    CHECK(letters[i]["left"].get<double>() >= regions[i]["left"].get<double>());
                    CHECK(letters[i]["right"].get<double>() <= regions[i]["right"].get<double>());
                    CHECK(letters[i]["bottom"].get<double>() <= regions[i]["bottom"].get<double>());
                    CHECK(contrast(letters[i]["fill"], regions[i]["fill"]) >= 4.5);
                }
                CHECK(layout["label"].get<std::string>().starts_with("Layout of the medium. a: "));
            }
        }
}

TEST_CASE("a dark page turns light on paper, opens its folds there, and turns back") {
    if (!has_chromium()) MEDIARIG_SKIP("chromium is not installed");
    const std::string page = report::render_html(fakes::sample_campaign());
    const auto light = look_at(page);
    const auto dark = look_at(page, {.dark = true});
    REQUIRE(reason(light) == "success");
    REQUIRE(reason(dark) == "success");
    CHECK(light->page["ground"] == "rgb(255, 255, 255)");
    CHECK(dark->page["ground"] == "rgb(18, 22, 28)");
    const std::string light_ink = light->page["charts"]["formats-iops"]["ink"];
    const std::string dark_ink = dark->page["charts"]["formats-iops"]["ink"];
    CHECK(light_ink != dark_ink);
    for (const json& ink : dark->page["inkOnPaper"]) CHECK(ink == light_ink);
    for (const json& ink : dark->page["inkAfter"]) CHECK(ink == dark_ink);
    const int folds = dark->page["folds"][0].get<int>();
    CHECK(folds > 10);
    CHECK(dark->page["folds"][1] == 0);
    CHECK(dark->page["foldsOnPaper"] == folds);
    CHECK(dark->page["foldsAfter"] == 0);

    const auto pdf = print_to_pdf(page);
    REQUIRE(reason(pdf) == "success");
    CHECK(pdf->rfind("%PDF-", 0) == 0);
    CHECK(pdf->size() > 100'000);
}
