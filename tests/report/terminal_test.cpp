// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/terminal.hpp"
#include "host/base/text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "host/report/figures/findings.hpp"
#include "host/report/output/csv.hpp"
#include "host/report/published/conclusions.hpp"
#include "host/report/published/tables.hpp"
#include "host/report/tables/tables.hpp"
#include "host/report/text/display_text.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;
using workload::Access;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// The first line that begins with `start` after the line `title`.
std::string line_after(const std::vector<std::string>& lines, const std::string& title, const std::string& start) {
    auto at = std::find_if(lines.begin(), lines.end(), [&](const std::string& l) { return l.find(title) == 0; });
    at = std::find_if(at, lines.end(), [&](const std::string& l) { return l.rfind(start, 0) == 0; });
    return at == lines.end() ? "missing" : *at;
}

/// A campaign of one pass with exactly the published figures of one card.
store::CampaignView published_campaign(const std::string& card) {
    const Access accesses[] = {Access::sequential_read, Access::sequential_write, Access::random_read,
                               Access::random_write};
    std::map<std::string, store::PassView> passes;
    for (const std::string format : {"exfat", "hfs+j"}) {
        const published::PublishedTable& table = *published::find_table("quickbench-" + card + "-" + format);
        store::PassView& pass = passes[format];
        pass.pass.format = format;
        pass.pass.repeat = 1;
        pass.pass.job.suite = "quickbench";
        for (std::size_t row = 0; row < published::sweep_of(table, 0).size(); ++row)
            for (std::size_t i = 0; i < 4; ++i) {
                const measure::SweepPoint point = published::sweep_of(table, i)[row];
                pass.cells.push_back(fakes::sample_cell("standard", accesses[i], point.block, 64_MiB,
                                                        point.rate.megabytes_per_second()));
            }
    }
    store::CampaignView view;
    view.campaign.name = "published";
    view.devices.resize(1);
    view.devices[0].device.name = card;
    for (auto& [format, pass] : passes) view.devices[0].passes.push_back(std::move(pass));
    return view;
}

std::vector<std::string> values_of(const TableRow& row) {
    std::vector<std::string> values;
    for (const TableCell& cell : row.cells) values.push_back(cell.value);
    return values;
}

/// A cell of 256 MiB in 1,000 operations and `factor` times as fast as in 4 s.
workload::CellResult cell_at(const workload::CellSpec& spec, double factor) {
    constexpr std::size_t samples = 40;
    const std::chrono::nanoseconds elapsed(std::llround(4e9 / factor));
    const auto operations =
        static_cast<std::uint64_t>(std::llround(25 * factor)); // operations of one sample of the series
    measure::HistogramRecorder latency;
    latency.record(static_cast<std::uint64_t>(1.5e6 / factor));
    workload::CellResult cell;
    cell.cell = spec;
    cell.moved = 256_MiB;
    cell.operations = samples * operations;
    cell.elapsed = elapsed;
    cell.latency = latency.histogram();
    cell.series.assign(samples, {.length = elapsed / samples,
                                 .moved = Bytes{(256_MiB).count / samples},
                                 .operations = operations,
                                 .worst = std::chrono::milliseconds(2)});
    return cell;
}

std::vector<workload::CellSpec> cells_of(const workload::JobSpec& job) {
    std::vector<workload::CellSpec> cells;
    if (const auto* sweep = job.as<workload::SweepJob>()) cells = sweep->cells;
    if (const auto* mix = job.as<workload::MixJob>())
        for (const workload::MixCell& cell : mix->cells) cells.push_back(cell.cell);
    if (const auto* files = job.as<workload::FilesJob>())
        for (const workload::FileStep& step : files->steps) cells.push_back(step.cell);
    if (job.as<workload::BlogJob>())
        for (const std::string table : {"blogs", "articles", "pictures", "comments"})
            for (const Access access : {Access::random_read, Access::random_write})
                cells.push_back({.id = table, .table = table, .access = access, .block = 1_KiB, .volume = {}});
    return cells;
}

} // namespace

TEST_CASE("each suite's own view shows the number of passes and their scatter") {
    for (const suites::Suite* suite : suites::all_suites()) {
        if (suite->view == nullptr) continue;
        CAPTURE(suite->name);
        suites::SuiteRequest request;
        request.name = suite->name;
        const auto job = suites::expand(request, Bytes{std::uint64_t{1} << 40});
        REQUIRE(job);
        store::CampaignView view;
        view.devices.resize(1);
        const auto tables_with_pass = [&](double factor) {
            store::PassView& pass = view.devices[0].passes.emplace_back();
            pass.pass.format = "exfat";
            pass.pass.job = *job;
            for (const workload::CellSpec& spec : cells_of(*job)) pass.cells.push_back(cell_at(spec, factor));
            return tables_of(view, Figures(view));
        };
        const auto once = tables_with_pass(1);
        REQUIRE(once.size() == 1);
        CHECK(std::ranges::count(once[0].notes, "1 pass: the scatter is unknown.") == 1);
        for (const TableRow& row : once[0].rows)
            for (const TableCell& cell : row.cells) CHECK(cell.spread.empty());

        const auto twice = tables_with_pass(1.25);
        REQUIRE(twice.size() == 1);
        CHECK(std::ranges::count(twice[0].notes, "2 passes.") == 1);
        CHECK(twice[0].rows.size() == once[0].rows.size());
        if (suite->view_of_all_passes) continue; // the classes depend on the slowest second of all passes
        const bool scatter = std::ranges::any_of(twice[0].rows, [](const TableRow& row) {
            return std::ranges::any_of(row.cells, [](const TableCell& cell) { return cell.spread.starts_with("to "); });
        });
        const bool of_each_pass =
            std::ranges::any_of(twice[0].notes, [](const std::string& note) { return note.starts_with("Pass 2: "); });
        CHECK((scatter || of_each_pass));
    }
}

TEST_CASE("a view shows equal figures once, numbers with their range, and differing texts as a list") {
    store::CampaignView view;
    view.devices.resize(1);
    const auto add_pass = [&](double rate, std::chrono::nanoseconds stat) {
        store::PassView& pass = view.devices[0].passes.emplace_back();
        pass.pass.format = "exfat";
        pass.pass.job.suite = "bonnie";
        const workload::CellSpec block{
            .id = "put_block", .table = "put_block", .access = Access::sequential_write, .block = 8_KiB, .volume = {}};
        pass.cells = {cell_at(block, rate), cell_at(block, 1)};
        pass.cells[1].cell.id = pass.cells[1].cell.table = "seq_create";
        pass.cells[1].elapsed = stat;
    };
    using Values = std::vector<std::string>;
    const auto rows = [&] { return tables_of(view, Figures(view)).at(0).rows; };
    add_pass(1, std::chrono::seconds(1));
    add_pass(1.25, std::chrono::milliseconds(1));
    // 256 MiB in 4 s and in 3.2 s; the processor time was not measured.
    CHECK(values_of(rows()[0]) == Values{"65536", "", "1200"});
    CHECK(rows()[0].cells[0].spread == "to 81920");
    CHECK(rows()[0].cells[2].spread == "to 1500");
    CHECK(values_of(rows()[1]) == Values{"1000, +++++", "+++", "1500"});
    CHECK(rows()[1].cells[2].spread.empty());
    add_pass(1, std::chrono::seconds(1));
    add_pass(1, std::chrono::seconds(1));
    CHECK(rows()[0].cells[0].spread.starts_with("±"));
}

TEST_CASE("measured rows equal to a published table are printed like that table, including its Average") {
    const auto lines = lines_of(render_tables(published_campaign("pny"), {.width = 120}));
    CHECK(line_after(lines, "QuickBench block", "   ") ==
          "          exFAT                            │  HFS+ Journaled");
    CHECK(line_after(lines, "QuickBench block", "Block") ==
          "Block     S.Read  S.Write  R.Read  R.Write │  S.Read  S.Write  R.Read  R.Write");
    CHECK(line_after(lines, "QuickBench block", "4 KB") ==
          "4 KB       8.536    0.977   6.674    0.881 │   8.610    1.217   8.066    1.010");
    CHECK(line_after(lines, "QuickBench block", "1024 KB") ==
          "1024 KB   78.557   48.298  77.158   45.559 │  77.937   54.877  76.845   38.264");
    // The rows are rounded: the published 17.576 is 17.575 when recomputed from them.
    CHECK(line_after(lines, "QuickBench block", "Average") ==
          "Average   47.440   17.575  42.649   16.308 │  47.630   23.684  43.527   17.420");
    CHECK(line_after(lines, "QuickBench block", "Time-wtd") ==
          "Time-wtd  27.732    4.111  22.212    3.981 │  28.035    5.402  24.885    4.032");
}

TEST_CASE("published figures and their source follow the tables on request") {
    const auto campaign = published_campaign("pny");
    CHECK_THAT(render_tables(campaign, {}), !ContainsSubstring("Published: "));
    const std::string text = render_tables(campaign, {.width = 200, .colour = Colour::plain, .published = true});
    CHECK_THAT(text, ContainsSubstring("Published: QuickBench (quickbench-pny-exfat): PNY "));
    CHECK_THAT(text, ContainsSubstring("Source: 128GB MicroSD: exFAT vs. HFS Performance"));
    CHECK_THAT(text, !ContainsSubstring("Published: Blogbench")); // the suite did not run
    // Two tables of one tool and device are distinguished by the name for 'mediarig published show'.
    std::set<std::string> titles;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("Published: ")) CHECK(titles.insert(line).second);
    CHECK(titles.size() > 3);
}

TEST_CASE("measured figures are in the rows of the published table, in its unit of 2^20 bytes") {
    const auto campaign = published_campaign("pny");
    const auto tables = published_tables_of(campaign, Figures(campaign));
    const auto named = [&](const std::string& name) {
        const auto found = std::ranges::find_if(
            tables, [&](const Table& table) { return table.title.find("(" + name + ")") != std::string::npos; });
        REQUIRE(found != tables.end());
        return *found;
    };
    const Table exfat = named("quickbench-pny-exfat");
    REQUIRE(exfat.blocks.size() == 3);
    CHECK(exfat.blocks[0].title == "measured, exFAT");
    CHECK(exfat.blocks[1].title == "measured, HFS+ Journaled");
    CHECK(exfat.blocks[2].title == "published, exFAT");
    CHECK(exfat.label_title == "MiB/s");
    // 8.536 MB/s were measured; the same number was published in MiB/s.
    CHECK(values_of(exfat.rows[0]) == std::vector<std::string>{"8.141", "0.932", "6.365", "0.840", "8.211", "1.161",
                                                               "7.692", "0.963", "8.536", "0.977", "6.674", "0.881"});
    CHECK(exfat.rows.back().label == "Average");
    CHECK(exfat.rows.back().cells[0].value == "45.243");
    // Other rows, and figures that were not printed.
    const Table larger = named("quickbench-pny-larger");
    REQUIRE(larger.blocks.size() == 1);
    CHECK(larger.blocks[0].title == "exFAT and HFS+ Journaled");
    CHECK(values_of(larger.rows[0]) == std::vector<std::string>{"81.515", "52.971", "–", "–"});
}

TEST_CASE("a published table is printed only for the suite that measures the same quantity") {
    const auto beside = [](const char* suite) {
        auto campaign = published_campaign("pny");
        for (store::PassView& pass : campaign.devices[0].passes) pass.pass.job.suite = suite;
        return render_tables(campaign, {.width = 120, .colour = Colour::plain, .published = true});
    };
    CHECK_THAT(beside("enumerate"), !ContainsSubstring("Published: "));
    CHECK_THAT(beside("enumerate-million"), ContainsSubstring("Published: Enumeration (Carbon Copy Cloner)"));
    CHECK_THAT(beside("disktester"),
               ContainsSubstring("(disktester-iops)") &&
                   !ContainsSubstring("(disktester-other-space)")); // that table contains sizes and no rates
    CHECK_THAT(beside("dd"), ContainsSubstring("Published: dd "));
    CHECK_THAT(beside("dd-direct"), !ContainsSubstring("Published: "));
}

TEST_CASE("a published table without a suite or with an existing suite is valid") {
    for (const published::PublishedTable& table : published::all_tables()) {
        CAPTURE(table.name);
        CHECK((table.suite.empty() || suites::find_suite(table.suite) != nullptr));
    }
}

TEST_CASE("published figures fit 80 columns, and whole numbers have no decimals") {
    auto campaign = published_campaign("pny");
    // A published table is printed if its suite has a pass.
    for (const char* suite : {"xbench", "blogbench", "bonnie", "blackmagic", "stibium", "disktester"}) {
        auto pass = campaign.devices[0].passes.front();
        pass.pass.job.suite = suite;
        campaign.devices[0].passes.push_back(pass);
    }
    const std::string all = render_tables(campaign, {.width = 80, .colour = Colour::plain, .published = true});
    const std::string text = all.substr(all.find("Published: "));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        CHECK(display_width(line) <= 80);
    }
    CHECK_THAT(text, ContainsSubstring("Score for writes 3109, for reads"));
    CHECK_THAT(text, ContainsSubstring("1280x720 at 60, 10 bit 4:2:2"));
    CHECK_THAT(text, !ContainsSubstring("720.00"));
}

TEST_CASE("formats are printed next to each other if the width permits, otherwise one below the other") {
    const auto view = published_campaign("other");
    const std::string wide = render_tables(view, {.width = 100});
    const std::string narrow = render_tables(view, {.width = 60});
    CHECK(wide.find("exFAT                            │  HFS+ Journaled") != std::string::npos);
    CHECK(narrow.find("exFAT                            │") == std::string::npos);
    CHECK(std::count(narrow.begin(), narrow.end(), '\n') > std::count(wide.begin(), wide.end(), '\n'));
    for (const std::size_t width : {60u, 80u, 100u, 140u, 200u})
        for (const std::string& line : lines_of(render_tables(view, {.width = width}))) {
            CAPTURE(width, line);
            CHECK(display_width(line) <= width);
        }
}

TEST_CASE("no line of the report of a whole campaign exceeds a terminal of 80 columns") {
    for (const std::string& line : lines_of(render_tables(fakes::sample_campaign(), {.width = 80}))) {
        CAPTURE(line);
        // A command stays in one line, so that it can be copied.
        CHECK((display_width(line) <= 80 || line.find_first_not_of(' ') == line.find("mediarig ")));
    }
}

TEST_CASE("the tables of several passes contain spread, averages of large blocks and the figures of DiskTester") {
    const auto view = fakes::sample_campaign();
    const auto lines = lines_of(render_tables(view, {.width = 140}));
    CHECK_THAT(line_after(lines, "QuickBench block", "1024 KB"), ContainsSubstring("89.0 to 89.9"));
    CHECK(line_after(lines, "QuickBench block", "Lg Ave") != "missing");
    CHECK(line_after(lines, "QuickBench block", "Ext Ave") != "missing");
    CHECK(line_after(lines, "QuickBench block", "2 MB") == "missing"); // the row is included in Lg Ave
    CHECK(line_after(lines, "DiskTester sequential", "fast · exFAT") != "missing");
    CHECK(line_after(lines, "DiskTester IOPS: 256 MiB in operations of 8 KB", "slow · APFS") != "missing");
    CHECK(line_after(lines, "Verify", "bargain · raw") ==
          "bargain · raw  64.4 GB  64.4 GB  8.05 GB  56.4 GB  8.05 GB        – │    8.4  19.6");
}

TEST_CASE("the IOPS table of DiskTester contains seconds, MiB/s and operations per second") {
    store::CampaignView view;
    view.devices.resize(1);
    store::PassView pass;
    pass.pass.format = "exfat";
    pass.pass.job.suite = "disktester";
    for (const auto& [access, seconds] :
         {std::pair{Access::random_write, 163.1}, std::pair{Access::random_read, 24.9}}) {
        pass.cells.push_back(fakes::sample_cell("iops", access, 8_KiB, 256_MiB, 268.435456 / seconds));
        pass.cells.back().elapsed = std::chrono::nanoseconds(std::llround(seconds * 1e9));
    }
    view.devices[0].passes.push_back(pass);
    const auto lines = lines_of(render_tables(view, {}));
    // Printed: 163.1 s, 1.6 MB/s, 201 and 24.9 s, 10.3 MB/s, 1315; the printed seconds are rounded and give 1316.
    CHECK(line_after(lines, "DiskTester IOPS", "exFAT") == "exFAT    163.1    1.6    201 │     24.9   10.3   1316");
    CHECK_THAT(render_tables(view, {}),
               ContainsSubstring("] MiB/s: 2^20 bytes per second, which DiskTester prints as MB/s.\n"));

    // The published table has the same cells.
    const auto tables = published_tables_of(view, Figures(view));
    const auto iops = std::ranges::find_if(
        tables, [](const Table& table) { return table.title.find("disktester-iops") != std::string::npos; });
    REQUIRE(iops != tables.end());
    REQUIRE(iops->blocks.size() == 2);
    CHECK(iops->blocks[0].columns == iops->blocks[1].columns);
    CHECK(iops->rows[0].label == "exFAT, write");
    CHECK(values_of(iops->rows[0]) == std::vector<std::string>{"163.1", "1.6", "201", "163.1", "1.6", "201"});
    CHECK(iops->rows[2].label == "HFS+ Journaled, write");
    CHECK(values_of(iops->rows[2]) == std::vector<std::string>{"–", "–", "–", "166.9", "1.5", "196"});
}

TEST_CASE("figures of a smaller volume or of timed-out cells are not presented as comparable with DiskTester") {
    store::CampaignView view;
    view.devices.resize(1);
    store::PassView pass;
    pass.pass.job.suite = "disktester";
    pass.cells.push_back(fakes::sample_cell("iops", Access::random_read, 8_KiB, 8_MiB, 10.0));
    view.devices[0].passes.push_back(pass);
    CHECK_THAT(render_tables(view, {}), ContainsSubstring("DiskTester IOPS: 8 MiB in operations of 8 KB"));
    CHECK_THAT(render_tables(view, {}), ContainsSubstring("seconds are not comparable"));
    CHECK(render_tables(view, {}).find("ended by time") == std::string::npos);
    view.devices[0].passes[0].cells[0].end = workload::CellEnd::time;
    CHECK_THAT(render_tables(view, {}), ContainsSubstring("Some cells hit their time limit"));
}

TEST_CASE("a table of formats reports a difference only if the ranges of the passes do not overlap") {
    const auto lines = lines_of(render_tables(fakes::sample_campaign(), {.width = 120}));
    CHECK_THAT(line_after(lines, "Formats compared: slow", "S.Write average"), ContainsSubstring("no difference seen"));
    CHECK_THAT(line_after(lines, "Formats compared: slow", "R.Write average"), ContainsSubstring("-38.4%"));
    const std::string one_pass = render_tables(published_campaign("pny"), {.width = 120});
    CHECK_THAT(line_after(lines_of(one_pass), "Formats compared", "R.Write average"), ContainsSubstring("– one pass"));
    CHECK(one_pass.find('%', one_pass.find("Formats compared")) ==
          std::string::npos); // one pass does not show a difference
}

TEST_CASE("partly measured formats are compared by their common rows only") {
    store::CampaignView view;
    view.devices.resize(1);
    for (const std::string format : {"exfat", "hfs+"})
        for (const double rate : {10.0, 10.1}) {
            store::PassView pass;
            pass.pass.format = format;
            pass.pass.job.suite = "quickbench";
            pass.cells.push_back(fakes::sample_cell("standard", Access::sequential_read, 64_KiB, 64_MiB,
                                                    format == "exfat" ? rate : rate / 2));
            if (format == "exfat")
                pass.cells.push_back(fakes::sample_cell("standard", Access::sequential_write, 4_KiB, 64_MiB, rate));
            view.devices[0].passes.push_back(std::move(pass));
        }
    const auto lines = lines_of(render_tables(view, {.width = 120}));
    CHECK(line_after(lines, "Formats compared", "sequential read 64 KB, MB/s") ==
          "sequential read 64 KB, MB/s  10.0 to 10.1 │  5.00 to 5.05      -50.0%");
    CHECK(line_after(lines, "Formats compared", "sequential write") == "missing");
}

TEST_CASE("the report begins with one card per device, followed by comparisons and tables") {
    const std::string text = render_tables(fakes::sample_campaign(), {.width = 100});
    const std::size_t places[] = {text.find("\nPASS  fast: Sample Swift 64, 63.9 GB, serial …000117, slot 1, “card "
                                            "1”\n  All 6 limits are met; no faults"),
                                  text.find("\nMARGINAL  slow: "),
                                  text.find("\nFAKE  bargain: "),
                                  text.find("“31.1 ±0.6”: mean"),
                                  text.find("\nFormats compared: fast"),
                                  text.find("\nVerify: written"),
                                  text.find("\nUsable bytes by format")};
    for (const std::size_t place : places) CHECK(place != std::string::npos);
    CHECK(std::is_sorted(std::begin(places), std::end(places)));
}

TEST_CASE("the meaning of a spread is explained if a figure has a spread") {
    store::CampaignView view;
    view.devices.resize(1);
    const auto add_pass = [&](double rate) {
        store::PassView& pass = view.devices[0].passes.emplace_back();
        pass.pass.format = "exfat";
        pass.pass.job.suite = "quickbench";
        pass.cells.push_back(fakes::sample_cell("standard", Access::sequential_read, 64_KiB, 64_MiB, rate));
    };
    add_pass(10);
    CHECK_THAT(cards_text_of(view, {.width = 100}), !ContainsSubstring("mean of four"));
    add_pass(11);
    CHECK_THAT(cards_text_of(view, {.width = 100}), ContainsSubstring("mean of four"));
}

TEST_CASE("the worst eight of many devices have cards, and the others have one line each") {
    const auto sample = fakes::sample_campaign();
    store::CampaignView view;
    for (int i = 0; i < 12; ++i) view.devices.push_back(sample.devices[0]);
    view.devices.push_back(sample.devices[2]);
    view.devices.push_back(sample.devices[1]);
    const std::string text = cards_text_of(view, {.width = 100});
    CHECK(text.rfind("FAKE  bargain", 0) == 0);
    CHECK(text.find("MARGINAL  slow") < text.find("PASS  fast"));
    const auto lines_of = [](const std::string& all) {
        std::size_t lines = 0;
        for (auto at = all.find("\nPASS  fast, 63.9 GB, "); at != std::string::npos;
             at = all.find("\nPASS  fast, 63.9 GB, ", at + 1))
            ++lines;
        return lines;
    };
    CHECK(lines_of(text) == 6);
    view.devices.resize(3);
    CHECK(lines_of(cards_text_of(view, {.width = 100})) == 0);
}

TEST_CASE("a caveat that several tables share is printed once") {
    std::vector<Table> tables(3);
    tables[0].caveat = tables[2].caveat = "careful";
    tables[1].caveat = "very careful";
    remove_repeated_caveats(tables);
    CHECK(tables[0].caveat == "careful");
    CHECK(tables[1].caveat == "very careful");
    CHECK(tables[2].caveat.empty());
}

TEST_CASE("a finding with equal text in several passes is printed once with their number") {
    store::CampaignView view;
    view.devices.resize(1);
    const measure::Finding limit{.kind = measure::FindingKind::driver_limit,
                                 .severity = measure::Severity::note,
                                 .detail = "a process serves the file system",
                                 .offset = {}};
    for (std::uint32_t repeat = 1; repeat <= 3; ++repeat) {
        store::PassView pass;
        pass.pass.id = "m0.r" + std::to_string(repeat) + ".exfat.quickbench";
        pass.pass.format = "exfat";
        pass.pass.repeat = repeat;
        pass.findings.push_back(limit);
        pass.findings.push_back(limit);
        view.devices[0].passes.push_back(std::move(pass));
    }
    const auto found = findings_of(view);
    REQUIRE(found.size() == 1);
    CHECK(found[0].place == "exFAT pass 1 and 2 more");
}

TEST_CASE("colour is printed on request only and repeats information of the text") {
    const auto view = fakes::sample_campaign();
    const std::string plain = render_tables(view, {.width = 100, .colour = Colour::plain});
    std::string coloured = render_tables(view, {.width = 100, .colour = Colour::ansi});
    CHECK(plain.find('\033') == std::string::npos);
    CHECK_THAT(coloured, ContainsSubstring("\033[1;32mPASS"));
    for (auto at = coloured.find('\033'); at != std::string::npos; at = coloured.find('\033'))
        coloured.erase(at, coloured.find('m', at) - at + 1);
    CHECK(coloured == plain);
}

TEST_CASE("texts reported by a medium cannot send control sequences to a terminal") {
    auto view = fakes::sample_campaign();
    view.campaign.name = "\033]0;title\a";
    view.devices[0].device.name = "\033[31mred\nline";
    view.devices[0].device.identity.model =
        "\x9B"
        "2J";
    view.devices[1].untested = {{.key = "\033[2J", .why = "\033[2J"}};
    view.devices[1].verdict->reasons = {"\033[2J"};
    view.devices[2].passes[0].findings[0].detail = "\r\033[1A";
    const std::string text = render_tables(view, {.width = 100});
    for (const char c : text) {
        const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n';
        REQUIRE_FALSE(control);
    }
    CHECK(text.find("red\nline") == std::string::npos);
}

TEST_CASE("an empty campaign and an unidentified device give a valid text report") {
    store::CampaignView view;
    view.campaign.id = "x";
    CHECK_THAT(render_tables(view, {}), ContainsSubstring("Campaign"));
    view.devices.resize(1);
    view.devices[0].device.name = "card";
    CHECK_THAT(render_tables(view, {}), ContainsSubstring("no verdict  card"));
}

TEST_CASE("for many devices the terminal shows all results and the worst tables, and the CSV contains all rows") {
    const auto sample = fakes::sample_campaign();
    store::CampaignView whole{.campaign = sample.campaign, .devices = {}};
    for (std::size_t i = 0; i < 30; ++i) {
        whole.devices.push_back(sample.devices[i % sample.devices.size()]);
        whole.devices.back().device.key += "-" + std::to_string(i);
        whole.devices.back().device.name += "-" + std::to_string(i);
    }
    std::size_t loaded = 0;
    const LoadDevice load = [&](store::DeviceView& device) -> Result<void> {
        ++loaded;
        device = *std::ranges::find(whole.devices, device.device.key,
                                    [](const store::DeviceView& each) { return each.device.key; });
        return {};
    };
    const auto outline_of = [](store::CampaignView view) {
        for (store::DeviceView& device : view.devices) forget(device);
        return view;
    };
    const auto text = render_tables(outline_of(whole), load, {.width = 100});
    REQUIRE(reason(text) == "success");
    CHECK(loaded == 30 + most_detailed);
    CHECK_THAT(*text, ContainsSubstring("Campaign lot 2026-41 incoming"));
    CHECK_THAT(*text, ContainsSubstring("The tables are those of the worst 12 of 30 media"));
    for (const store::DeviceView& device : whole.devices) CHECK_THAT(*text, ContainsSubstring(device.device.name));
    // The last medium with PASS has only one line.
    CHECK(text->rfind("fast-27") < text->find("The tables are those of"));

    CHECK(*render_tables(outline_of(sample),
                         [&](store::DeviceView& device) -> Result<void> {
                             device = *std::ranges::find(sample.devices, device.device.key,
                                                         [](const store::DeviceView& each) { return each.device.key; });
                             return {};
                         },
                         {.width = 100}) == render_tables(sample, {.width = 100}));
    CHECK(*render_csv(outline_of(whole), load) == render_csv(whole));
    const auto broken = [](store::DeviceView&) -> Result<void> { return fail(Errc::store_failed, "damaged"); };
    CHECK(reason(render_tables(outline_of(whole), broken, {})) == "damaged");
    CHECK(reason(render_csv(outline_of(whole), broken)) == "damaged");
}

TEST_CASE("long text wraps at spaces, and a word longer than a line gets a separate line") {
    CHECK(wrapped("one two three", 7, "  ") == "one two\n  three");
    CHECK(wrapped("incomprehensibilities now", 5, "") == "incomprehensibilities\nnow");
    CHECK(wrapped("", 5, "").empty());
    CHECK(wrapped("mediarig verify 'Karte 1.img' now", 20, "") == "mediarig verify 'Karte 1.img' now");
    CHECK(wrapped("an 'open quote goes on", 10, "") == "an 'open\nquote goes\non");
}

TEST_CASE("a suite without verification has no verification table") {
    store::CampaignView view = published_campaign("pny");
    for (store::PassView& pass : view.devices.at(0).passes) {
        pass.pass.job.suite = "dd";
        for (workload::CellResult& cell : pass.cells) cell.cell.table = suites::find_suite("dd")->tables.front().name;
    }
    const Figures figures(view);
    for (const Table& table : tables_of(view, figures)) CHECK_THAT(table.title, !ContainsSubstring("Verify"));
}

TEST_CASE("each note of the tables is printed once, as a footnote to which the titles refer") {
    const std::string text = render_tables_only(fakes::sample_campaign(), {.width = 100});
    CHECK(times(text, "Average: arithmetic mean of the rows") == 1);
    CHECK(times(text, "] 2 passes.\n") == 1);
    CHECK_THAT(text, ContainsSubstring("QuickBench block sizes, MB/s [2] [3]"));
    CHECK(text.find("\n[1] ") > text.find("Usable bytes by format"));
}
