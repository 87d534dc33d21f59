// SPDX-License-Identifier: GPL-3.0-or-later
/// Results of suites from measurements.
#include <fmt/format.h>

#include <algorithm>

#include "host/workload/suites/originals.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using mediarig::suites::DeviceResults, mediarig::suites::Metric, mediarig::suites::SuiteRequest, mediarig::suites::View;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

namespace {

mediarig::measure::Histogram latency_of(std::uint64_t ns) {
    mediarig::measure::HistogramRecorder recorder;
    recorder.record(ns);
    return recorder.histogram();
}

/// A cell measured at 30 MB/s with a sample per second.
CellResult measured_cell(CellSpec spec, Bytes moved) {
    CellResult cell;
    cell.cell = std::move(spec);
    cell.moved = moved;
    cell.operations = std::max<std::uint64_t>(moved / cell.cell.block, 1);
    cell.elapsed = nanoseconds(static_cast<std::int64_t>(moved.count) * 1000 / 30);
    cell.latency = latency_of(1'500'000);
    const auto whole = cell.elapsed / seconds(1) + 1;
    for (std::int64_t i = 0; i < whole; ++i)
        cell.series.push_back({.length = cell.elapsed / whole,
                               .moved = Bytes{moved.count / static_cast<std::uint64_t>(whole)},
                               .operations = cell.operations / static_cast<std::uint64_t>(whole),
                               .worst = milliseconds(2)});
    return cell;
}

CellSpec spec_of(std::string table, Access access, Bytes block) {
    return {.id = table,
            .table = table,
            .access = access,
            .block = block,
            .volume = {},
            .time_limit = {},
            .queue_depth = 1};
}

std::vector<CellResult> cells_of(const JobSpec& job) {
    std::vector<CellResult> cells;
    if (const auto* sweep = job.as<SweepJob>())
        for (const CellSpec& spec : sweep->cells) cells.push_back(measured_cell(spec, spec.volume));
    if (const auto* mix = job.as<MixJob>())
        for (const MixCell& cell : mix->cells) cells.push_back(measured_cell(cell.cell, 256_MiB));
    if (const auto* files = job.as<FilesJob>())
        for (const FileStep& step : files->steps) cells.push_back(measured_cell(step.cell, 256_MiB));
    if (job.as<BlogJob>())
        for (const char* table : {"blogs", "articles", "pictures", "comments"})
            for (const Access access : {Access::random_read, Access::random_write})
                cells.push_back(measured_cell(spec_of(table, access, 64_KiB), 256_MiB));
    return cells;
}

DeviceResults all_at(double value, const std::vector<CellResult>& pass) {
    return {.value_of = [value](const Metric&) { return std::optional(value); }, .passes = {pass}};
}

const View::Row* row_of(const View& view, std::string_view label) {
    const auto found = std::ranges::find(view.rows, label, &View::Row::label);
    return found == view.rows.end() ? nullptr : &*found;
}

} // namespace

TEST_CASE("each row of a view has one cell per column, and there is no view without measurements") {
    for (const auto* known : mediarig::suites::all_suites()) {
        if (known->view == nullptr) continue;
        CAPTURE(known->name);
        CHECK_FALSE(known->view({.value_of = [](const Metric&) { return std::optional<double>(); }}));
        SuiteRequest request;
        request.name = known->name;
        const auto job = mediarig::suites::expand(request, Bytes{std::uint64_t{1} << 40});
        REQUIRE(reason(job) == "success");
        const auto cells = cells_of(*job);
        const auto view = known->view(all_at(30, cells));
        REQUIRE(view);
        CHECK_FALSE(view->rows.empty());
        for (const auto& row : view->rows) CHECK(row.cells.size() == view->columns.size());
    }
}

TEST_CASE("xbench: scores and rates count megabytes of 2^20 bytes as the original does") {
    SuiteRequest request;
    request.name = "xbench";
    const auto job = mediarig::suites::expand(request, 64_GiB);
    REQUIRE(job);
    const auto cells = cells_of(*job);
    const auto view = mediarig::suites::find_suite("xbench")->view(all_at(1.048576 * 50, cells));
    REQUIRE(view);
    for (const auto& part : mediarig::suites::xbench_parts) {
        CAPTURE(part.label);
        const auto& shown = row_of(*view, part.label)->cells;
        CHECK(shown[0] == fmt::format("{:.2f}", 5000 / part.reference));
        CHECK(shown[1] == "50.00");
        CHECK(shown[2].ends_with(" %"));
    }
    CHECK(view->columns == std::vector<std::string>{"score", "MiB/s", "share"});
}

TEST_CASE("xbench: the note states the cache policy that was used, not the requested one") {
    const auto told = [](CachePolicy writes_used, CachePolicy reads_used) {
        CellResult writing = measured_cell(spec_of("xbench", Access::sequential_write, 4_KiB), 1_MiB);
        CellResult reading = measured_cell(spec_of("xbench", Access::sequential_read, 4_KiB), 1_MiB);
        writing.evidence.used = writes_used;
        reading.evidence.used = reads_used;
        const std::vector<CellResult> pass{writing, reading};
        JobSpec asked;
        asked.cache = CachePolicy::direct;
        DeviceResults measured = all_at(50, pass);
        measured.job = &asked;
        return mediarig::suites::find_suite("xbench")->view(measured)->notes.back();
    };
    CHECK_THAT(told(CachePolicy::direct, CachePolicy::direct), ContainsSubstring("cache; these did not."));
    CHECK_THAT(told(CachePolicy::dropped, CachePolicy::dropped), ContainsSubstring("these also used the cache."));
    CHECK_THAT(told(CachePolicy::cached, CachePolicy::cached),
               ContainsSubstring("these also used the cache, as did the reads."));
}

TEST_CASE("disktester-fill: each twentieth of the span has a rate if it took at least one sample") {
    CellResult cell = measured_cell(spec_of("fill", Access::sequential_write, 1_MiB), {});
    // 100 MB at 50 MB/s, then 100 MB at 10 MB/s.
    for (int i = 0; i < 2; ++i) cell.series.push_back({seconds(1), Bytes{50'000'000}, 50, {}});
    for (int i = 0; i < 10; ++i) cell.series.push_back({seconds(1), Bytes{10'000'000}, 10, {}});
    cell.moved = Bytes{200'000'000};
    const std::vector<CellResult> pass{cell};
    const auto view = mediarig::suites::find_suite("disktester-fill")->view(all_at(0, pass));
    REQUIRE(view);
    REQUIRE(view->rows.size() == 20);
    // A second at 50 MB/s covered five parts, whose durations are unknown.
    CHECK(row_of(*view, "0 to 5 %")->cells == std::vector<std::string>{"–"});
    CHECK(row_of(*view, "45 to 50 %")->cells == std::vector<std::string>{"–"});
    CHECK(row_of(*view, "50 to 55 %")->cells == std::vector<std::string>{"10.0"});
    CHECK_THAT(view->notes[0], ContainsSubstring("a part without a figure took less than a second"));

    // 2 GB at 50 MB/s, then 2 GB at 10 MB/s, and the final sync.
    cell.series.assign(40, {seconds(1), Bytes{50'000'000}, 50, {}});
    cell.series.insert(cell.series.end(), 200, {seconds(1), Bytes{10'000'000}, 10, {}});
    cell.series.push_back({seconds(20), {}, 0, {}});
    cell.moved = Bytes{4'000'000'000};
    const auto longer = mediarig::suites::find_suite("disktester-fill")->view(all_at(0, std::vector{cell}));
    CHECK(row_of(*longer, "0 to 5 %")->cells == std::vector<std::string>{"50.0"});
    CHECK(row_of(*longer, "45 to 50 %")->cells == std::vector<std::string>{"50.0"});
    CHECK(row_of(*longer, "50 to 55 %")->cells == std::vector<std::string>{"10.0"});
    CHECK(row_of(*longer, "95 to 100 %")->cells == std::vector<std::string>{"5.0"});
    CHECK(longer->notes[0] == "Write: slowest part 5.0, fastest 50.0 MB/s.");
}

TEST_CASE("sd-class: the slowest second decides, and a long stall fails every class") {
    CellResult cell = measured_cell(spec_of("recording", Access::sequential_write, 512_KiB), 300_MiB);
    cell.series.assign(9, {seconds(1), Bytes{35'000'000}, 66, {}});
    cell.series[4].moved = Bytes{12'000'000};
    std::vector<CellResult> pass{cell};
    const auto view = mediarig::suites::find_suite("sd-class")
                          ->view({.value_of =
                                      [](const Metric& metric) {
                                          return metric.table == "application" ? std::optional(1600.0)
                                                 : metric.table == "playback"  ? std::optional(8.0)
                                                                               : std::optional(32.0);
                                      },
                                  .passes = {pass}});
    REQUIRE(view);
    CHECK(row_of(*view, "C6, V6")->cells == std::vector<std::string>{"6 MB/s", "12.0 / 8.0 MB/s", "consistent"});
    CHECK(row_of(*view, "C10, U1, V10")->cells[2] == "no, it reads slower");
    CHECK(row_of(*view, "U3, V30")->cells ==
          std::vector<std::string>{"30 MB/s", "12.0 / 8.0 MB/s", "no, its slowest second"});
    CHECK(row_of(*view, "A1")->cells[2] == "consistent");
    CHECK(row_of(*view, "A2")->cells[2] == "no, random reads");

    pass[0].latency.merge(latency_of(400'000'000));
    const auto stalled = mediarig::suites::find_suite("sd-class")
                             ->view({.value_of = [](const Metric&) { return std::optional(32.0); }, .passes = {pass}});
    CHECK(row_of(*stalled, "C2")->cells[2] == "no, it stalls");

    const auto unread = mediarig::suites::find_suite("sd-class")
                            ->view({.value_of =
                                        [](const Metric& metric) {
                                            return metric.table == "playback" ? std::nullopt : std::optional(32.0);
                                        },
                                    .passes = {std::span(&cell, 1)}});
    CHECK(row_of(*unread, "C2")->cells == std::vector<std::string>{"2 MB/s", "12.0 MB/s", "consistent in recording"});
    CHECK(row_of(*unread, "U3, V30")->cells[2] == "no, its slowest second");
    CHECK_THAT(unread->notes[1], ContainsSubstring("Playback was not measured"));
}

TEST_CASE("sd-class: a figure near the mark of a class has enough digits to show the difference") {
    struct Row {
        std::uint64_t second; ///< bytes moved in the slowest second
        const char *mark, *measured, *answer;
    };
    for (const Row& row :
         {Row{3'970'000, "C4", "3.97 / 32.0 MB/s", "no, its slowest second"},
          Row{3'999'990, "C4", "3.99999 / 32.0 MB/s", "no, its slowest second"},
          // One byte of the block that extends over two seconds may be counted in the other second.
          Row{3'999'999, "C4", "4.0 / 32.0 MB/s", "consistent"}, Row{4'000'000, "C4", "4.0 / 32.0 MB/s", "consistent"},
          Row{4'180'000, "C4", "4.2 / 32.0 MB/s", "consistent"},
          Row{9'998'000, "C10, U1, V10", "9.998 / 32.0 MB/s", "no, its slowest second"},
          Row{10'020'000, "C10, U1, V10", "10.02 / 32.0 MB/s", "consistent"}}) {
        CAPTURE(row.second);
        CellResult cell = measured_cell(spec_of("recording", Access::sequential_write, 512_KiB), 300_MiB);
        cell.series.assign(9, {seconds(1), Bytes{35'000'000}, 66, {}});
        cell.series[4].moved = Bytes{row.second};
        const std::vector<CellResult> pass{cell};
        const auto view = mediarig::suites::find_suite("sd-class")->view(all_at(32, pass));
        REQUIRE(view);
        CHECK(row_of(*view, row.mark)->cells[1] == row.measured);
        CHECK(row_of(*view, row.mark)->cells[2] == row.answer);
    }
}

TEST_CASE("sd-class: seconds of the final sync are not recording time") {
    CellResult cell = measured_cell(spec_of("recording", Access::sequential_write, 512_KiB), 300_MiB);
    cell.series.assign(8, {seconds(1), Bytes{35'000'000}, 66, {}});
    cell.series.push_back({seconds(1), Bytes{1'000'000}, 2, {}}); // the final sync started in this second
    cell.series.push_back({seconds(1), {}, 0, {}});
    cell.elapsed = seconds(10);
    cell.sync_time = milliseconds(1500);
    const std::vector<CellResult> pass{cell};
    const auto view = mediarig::suites::find_suite("sd-class")->view(all_at(32, pass));
    CHECK_THAT(view->notes[0], ContainsSubstring("Slowest second of recording 35.0 MB/s"));
    CHECK(row_of(*view, "U3, V30")->cells[2] == "consistent");
}

TEST_CASE("sd-class: every class is undecided with page cache or FUSE, and a note gives the reason") {
    CellResult cell = measured_cell(spec_of("recording", Access::sequential_write, 512_KiB), 64_MiB);
    cell.series = {{seconds(1), 64_MiB, 128, {}}, {seconds(1), {}, 0, {}}, {seconds(1), {}, 0, {}}};
    const auto answers = [&](DeviceResults measured) {
        const auto view = mediarig::suites::find_suite("sd-class")->view(measured);
        REQUIRE(view);
        for (const View::Row& row : view->rows) CHECK(row.cells[2] == "undecided");
        CHECK_THAT(view->notes[0], !ContainsSubstring("longest write"));
        return view->notes[0];
    };
    const std::vector<CellResult> direct{cell};
    DeviceResults served = all_at(21, direct);
    served.served_by_process = true;
    CHECK_THAT(answers(served), ContainsSubstring("a process serves this file system (FUSE)"));
    cell.evidence.used = CachePolicy::dropped;
    const std::vector<CellResult> buffered{cell};
    CHECK_THAT(answers(all_at(21, buffered)), ContainsSubstring("page cache"));
}

TEST_CASE("sd-class: a recording below one second fails classes above its mean rate and leaves the others undecided") {
    SuiteRequest request;
    request.name = "sd-class";
    const auto job = mediarig::suites::expand(request, 1_GiB);
    REQUIRE(job);
    auto pass = cells_of(*job);
    for (CellResult& cell : pass)
        for (SeriesSample& sample : cell.series) sample.length = milliseconds(100);
    const auto view = mediarig::suites::find_suite("sd-class")->view(all_at(50, pass));
    REQUIRE(view);
    CHECK(row_of(*view, "U3, V30")->cells[2] == "undecided");
    CHECK(row_of(*view, "V60")->cells[2] == "no, its mean");
    CHECK(row_of(*view, "A1")->cells[2] == "no, random reads");
    CHECK_THAT(view->notes[0], ContainsSubstring("Recording took less than a second"));
}

TEST_CASE("stibium: the slope excludes a stalled file that the total rate includes") {
    std::vector<CellResult> pass;
    // 5 ms per file and 40 MB/s. One file of the ten-megabyte cell took 3 s longer.
    for (const std::uint64_t size : {2u, 4u, 6u, 8u, 10u}) {
        CellResult cell = measured_cell(spec_of("stibium", Access::sequential_read, Bytes{size * 1'000'000}), {});
        cell.series.clear();
        for (int i = 0; i < 10; ++i) {
            const auto time =
                milliseconds(5 + 25 * static_cast<int>(size)) + (size == 10 && i == 3 ? seconds(3) : seconds(0));
            cell.series.push_back({time, Bytes{size * 1'000'000}, 1, time});
        }
        pass.push_back(std::move(cell));
    }
    const auto view = mediarig::suites::find_suite("stibium")->view(all_at(0, pass));
    REQUIRE(view);
    const auto& cells = row_of(*view, "read")->cells;
    CHECK(cells[0] == "50");
    CHECK(std::stod(cells[1]) == Approx(300.0 / (50 * 0.005 + 300.0 / 40 + 3)).margin(0.1));
    CHECK(std::stod(cells[2]) == Approx(40).margin(0.1));
    CHECK(std::stod(cells[3]) == Approx(5).margin(0.1));
    CHECK(view->notes.at(1) ==
          "5 of the original's 16 sizes, the largest 10 MB: its total is not comparable with the published total.");
}

TEST_CASE("bonnie: phases below half a second are printed as +++++ in view and CSV line") {
    CellResult slow = measured_cell(spec_of("put_block", Access::sequential_write, 8_KiB), 300_MiB);
    slow.processor_time = slow.elapsed / 4;
    CellResult quick = measured_cell(spec_of("seq_stat", Access::sequential_read, Bytes{1}), 1_MiB);
    quick.operations = 16384;
    quick.elapsed = milliseconds(40);
    CellResult seeks = measured_cell(spec_of("seeks", Access::random_read, 8_KiB), 1_MiB);
    seeks.operations = 124;
    seeks.elapsed = seconds(10);
    seeks.latency.merge(latency_of(12'345'678'000));
    const std::vector<CellResult> pass{slow, quick, seeks};
    const auto view = mediarig::suites::find_suite("bonnie")->view(all_at(0, pass));
    REQUIRE(view);
    CHECK(row_of(*view, "put block")->cells == std::vector<std::string>{"29296", "25", "1500"});
    CHECK(row_of(*view, "seeks")->cells[0] == "12.4");
    CHECK(std::stod(row_of(*view, "seeks")->cells[2]) == Approx(12'345'678).epsilon(0.01));
    CHECK(row_of(*view, "sequential stat")->cells[0] == "+++++");
    CHECK(row_of(*view, "sequential stat")->cells[1] == "+++");
    const std::string csv = view->notes[1];
    CHECK_THAT(csv, ContainsSubstring("CSV: 1.98,mediarig,medium,1,,"));
    CHECK_THAT(csv, ContainsSubstring(",29296,25,"));
    CHECK_THAT(csv, ContainsSubstring("+++++,+++"));
    // 49 commas: 50 columns, of which the last twelve are latencies.
    CHECK(std::ranges::count(csv, ',') == 49);
}

TEST_CASE("blogbench: the last row gives the scores, and reads are compared at equal numbers of blogs") {
    std::vector<CellResult> pass;
    for (const char* table : {"blogs", "articles", "pictures", "comments"})
        for (const Access access : {Access::random_read, Access::random_write}) {
            CellResult cell = measured_cell(spec_of(table, access, Bytes{1}), {});
            cell.series.assign(4, {seconds(10), {}, 250, {}});
            cell.operations = 1000;
            pass.push_back(std::move(cell));
        }
    const auto view = mediarig::suites::find_suite("blogbench")->view(all_at(0, pass));
    REQUIRE(view);
    REQUIRE(view->rows.size() == 4);
    CHECK(view->rows.back().label == "40 s");
    CHECK(view->rows.back().cells.front() == "1000");
    CHECK(view->notes[0] == "Score for writes 1000 (finished blogs), for reads 1000 (blogs read through).");
    CHECK_THAT(view->notes[1], ContainsSubstring("0 to 500: 750, 500 to 1000: 750"));
}

TEST_CASE("enumerate: each row is one walk, and the last walk is compared with the first walk") {
    CellResult fresh = measured_cell(spec_of("walk", Access::sequential_read, Bytes{1}), {});
    fresh.operations = 11110;
    fresh.elapsed = milliseconds(500);
    CellResult made = measured_cell(spec_of("create", Access::sequential_write, 1_MiB), {});
    made.operations = 10'000;
    made.elapsed = seconds(5);
    CellResult before = measured_cell(spec_of("aged_walk", Access::sequential_read, Bytes{1}), {});
    before.operations = 19 * 11110;
    before.elapsed = seconds(190);
    before.series.clear();
    for (int cycle = 1; cycle <= 19; ++cycle) before.series.push_back({seconds(cycle), {}, 11110, {}});
    CellResult last = measured_cell(spec_of("last_walk", Access::sequential_read, Bytes{1}), {});
    last.operations = 11110;
    last.elapsed = seconds(20);
    CellResult pieces = measured_cell(spec_of("aged_pieces", Access::sequential_read, Bytes{1}), {});
    pieces.operations = 10'250;
    pieces.elapsed = seconds(1);
    const mediarig::suites::Suite& suite = *mediarig::suites::find_suite("enumerate");
    std::vector<CellResult> pass{made, fresh, before, last, pieces};
    const auto view = suite.view(all_at(0, pass));
    REQUIRE(view);
    using Cells = std::vector<std::string>;
    CHECK(row_of(*view, "walk, fresh")->cells == Cells{"0.50", "22220", ""});
    CHECK(row_of(*view, "walk, cycle 1")->cells == Cells{"1.00", "11110", ""});
    CHECK(row_of(*view, "walk, cycle 10")->cells == Cells{"10.00", "1111", ""});
    CHECK(row_of(*view, "walk, cycle 20")->cells == Cells{"20.00", "556", ""});
    CHECK(row_of(*view, "pieces, aged")->cells == Cells{"", "", "1.025"});
    pass[1].elapsed = std::chrono::microseconds(3210);
    CHECK(row_of(*suite.view(all_at(0, pass)), "walk, fresh")->cells[0] == "0.0032");
    CHECK(view->notes[0] == "The last walk took 40.00 times as long as the first.");
    // All walks are shown: after each of the 20 cycles.
    CHECK(row_of(*view, "walk, cycle 7")->cells == Cells{"7.00", "1587", ""});
    CHECK(view->rows.size() == 3 + 20);

    // The job was interrupted after two cycles, so the last walk is missing.
    before.series.resize(2);
    pass = {made, fresh, before};
    const auto part = suite.view(all_at(0, pass));
    REQUIRE(part);
    CHECK(part->rows.back().label == "walk, cycle 2");
    CHECK(row_of(*part, "walk, cycle 3") == nullptr);
    CHECK_THAT(part->notes[0], ContainsSubstring("Seconds with the sync"));
}
