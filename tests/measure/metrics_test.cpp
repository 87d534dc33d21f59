// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/metrics/metrics.hpp"

#include <algorithm>

#include "host/workload/metrics/implausible.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::metrics;
using fakes::sample_cell;
using measure::MetricValues;
using workload::Access;
using workload::CellResult;

namespace {

const MetricValues* find(const std::vector<MetricValues>& all, const std::string& metric) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const MetricValues& m) { return m.metric == metric; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<CellResult> standard_column(double factor) {
    std::vector<CellResult> cells;
    double rate = 1;
    for (const Bytes block : suites::blocks_of(*suites::find_table("standard")))
        cells.push_back(sample_cell("standard", Access::sequential_read, block, 32_MiB, factor * rate++));
    return cells;
}

} // namespace

TEST_CASE("a cell gives its rate, operations per second and latencies as metrics with unit and name") {
    const CellResult cell = sample_cell("standard", Access::random_read, 4_KiB, 32_MiB, 8.0);
    const auto measured = metrics_of("quickbench", "exfat", {cell});
    REQUIRE(find(measured, "random_read.4KB.mb_per_s"));
    CHECK(find(measured, "random_read.4KB.mb_per_s")->values.at(0) == Approx(8.0));
    CHECK(find(measured, "random_read.4KB.mb_per_s")->suite == "quickbench");
    CHECK(find(measured, "random_read.4KB.mb_per_s")->format == "exfat");
    CHECK(find(measured, "random_read.4KB.iops")->values.at(0) == Approx(8.0e6 / 4096));
    CHECK(find(measured, "random_read.4KB.p99_us")->values.at(0) ==
          Approx(static_cast<double>(cell.latency.quantile(0.99)->count()) / 1e3));
    CHECK(find(measured, "random_read.4KB.max_us")->values.at(0) ==
          Approx(static_cast<double>(cell.latency.max().count()) / 1e3));
    CHECK(measured.size() == 8);
}

TEST_CASE("the metrics of suite steady are means of its last five rounds, as in its table") {
    const auto cell_of = [](Access access, std::vector<std::uint64_t> operations) {
        CellResult cell = sample_cell("steady_64k", access, 64_KiB, 64_MiB, 1.0);
        cell.operations = 0;
        cell.series.clear();
        // A fast round is shorter, because it ends by its volume.
        for (const std::uint64_t each : operations)
            cell.series.push_back({std::chrono::seconds(each > 100 ? 1 : 4), 64_KiB * each, each, {}});
        return cell;
    };
    const std::vector<CellResult> pass{cell_of(Access::random_read, {9000, 1200, 1000, 1000, 400, 1400}),
                                       cell_of(Access::random_write, {9000, 100, 100, 100, 100, 100})};
    const auto measured = metrics_of("steady", "exfat", pass);
    CHECK(find(measured, "steady_64k.random_read.iops")->values.at(0) == Approx(1000));
    CHECK(find(measured, "steady_64k.random_read.mb_per_s")->values.at(0) == Approx(65.536));
    CHECK(find(measured, "steady_64k.random_write.iops")->values.at(0) == Approx(25));
    const auto view = suites::find_suite("steady")->view(
        {.value_of = [](const suites::Metric&) { return std::nullopt; }, .passes = {pass}});
    REQUIRE(view);
    CHECK(view->rows.at(0).cells.at(2) == "1025");
}

TEST_CASE("the metric names of other suites contain their tables") {
    const auto measured = metrics_of("any", "apfs",
                                     {sample_cell("iops", Access::random_write, 8_KiB, 256_MiB, 2.0),
                                      sample_cell("sequential", Access::sequential_write, 256_KiB, 64_MiB, 20.0),
                                      sample_cell("large", Access::sequential_read, 2_MiB, 32_MiB, 70.0),
                                      sample_cell("verify", Access::sequential_read, 1_MiB, 64_MiB, 30.0)});
    CHECK(find(measured, "iops.random_write.ops_per_s")->values.at(0) == Approx(2.0e6 / 8192));
    CHECK(find(measured, "iops.random_write.seconds")->values.at(0) == Approx(268.435456 / 2.0));
    CHECK(find(measured, "seq_write.256KB.mb_per_s")->values.at(0) == Approx(20));
    CHECK(find(measured, "large.seq_read.2048KB.mb_per_s")->values.at(0) == Approx(70));
    CHECK(find(measured, "verify.read.mb_per_s")->values.at(0) == Approx(30));
}

TEST_CASE("an average metric exists only if every row of the published table was measured") {
    auto cells = standard_column(1);
    auto measured = metrics_of("quickbench", "exfat", cells);
    REQUIRE(find(measured, "standard.seq_read.average_mb_per_s"));
    CHECK(find(measured, "standard.seq_read.average_mb_per_s")->values.at(0) == Approx(5));
    CHECK(find(measured, "standard.seq_read.time_weighted_mb_per_s")->values.at(0) == Approx(9 / 2.8289682540));
    CHECK_FALSE(find(measured, "standard.seq_write.average_mb_per_s"));

    cells[3].end = workload::CellEnd::cancelled;
    measured = metrics_of("quickbench", "exfat", cells);
    CHECK_FALSE(find(measured, "standard.seq_read.average_mb_per_s"));
    CHECK_FALSE(find(measured, "seq_read.32KB.mb_per_s"));
    CHECK(find(measured, "seq_read.16KB.mb_per_s"));
}

TEST_CASE("passes of one call and merged passes of several calls give the same metrics") {
    auto both = standard_column(1);
    for (CellResult& cell : standard_column(3)) both.push_back(std::move(cell));
    const auto together = metrics_of("quickbench", "exfat", both);
    CHECK(find(together, "seq_read.4KB.mb_per_s")->values.size() == 2);
    REQUIRE(find(together, "standard.seq_read.average_mb_per_s"));
    CHECK(find(together, "standard.seq_read.average_mb_per_s")->values.at(1) == Approx(15));

    auto merged = metrics_of("quickbench", "exfat", standard_column(1));
    merge(merged, metrics_of("quickbench", "exfat", standard_column(3)));
    REQUIRE(merged.size() == together.size());
    for (const MetricValues& metric : together) {
        CAPTURE(metric.metric);
        REQUIRE(find(merged, metric.metric));
        CHECK(find(merged, metric.metric)->values == metric.values);
    }
    merge(merged, metrics_of("quickbench", "apfs", standard_column(3)));
    CHECK(merged.size() == 2 * together.size());
}

TEST_CASE("a failed, cancelled or empty cell gives no metrics") {
    CellResult cell = sample_cell("standard", Access::random_read, 4_KiB, 32_MiB, 8.0);
    cell.end = workload::CellEnd::error;
    CHECK(metrics_of("quickbench", "exfat", {cell}).empty());
    CHECK(metrics_of("quickbench", "exfat", {CellResult{}}).empty());
    cell.end = workload::CellEnd::time;
    CHECK_FALSE(metrics_of("quickbench", "exfat", {cell}).empty());
}

TEST_CASE("the name of every metric of a campaign can be parsed") {
    int names = 0;
    for (const store::DeviceView& device : fakes::sample_campaign().devices)
        for (const store::PassView& pass : device.passes)
            for (const MetricValues& metric : metrics_of(pass.pass.job.suite, pass.pass.format, pass.cells)) {
                CAPTURE(metric.metric);
                CHECK(metric_from(metric.metric).has_value());
                ++names;
            }
    CHECK(names > 1000);
}

TEST_CASE("every example in the documented list of metrics is the name of a metric") {
    const std::string page = tests::text_of(MEDIARIG_DOCS_DIR "/guide/plan.md");
    const std::size_t begin = page.find("\n## Metric names\n");
    REQUIRE(begin != std::string::npos);
    const std::string text = page.substr(begin, page.find("\n## ", begin + 1) - begin);
    int examples = 0;
    for (std::size_t at = text.find('`'); at != std::string::npos; at = text.find('`', at + 1)) {
        const std::size_t end = text.find('`', at + 1);
        REQUIRE(end != std::string::npos);
        const std::string name = text.substr(at + 1, end - at - 1);
        at = end;
        const bool pattern = name.find("ACCESS") != std::string::npos || name.find("VALUE") != std::string::npos;
        if (name.find('.') == std::string::npos || pattern) continue;
        CAPTURE(name);
        CHECK(metric_from(name).has_value());
        ++examples;
    }
    CHECK(examples > 9);
}

TEST_CASE("a mistyped metric name is refused") {
    for (const char* good : {"seq_write.1024KB.mb_per_s", "random_read.512B.iops", "seq_read.64KB.p99_us",
                             "standard.seq_read.average_mb_per_s", "extended.seq_write.time_weighted_mb_per_s",
                             "iops.random_read.ops_per_s", "verify.write.mb_per_s", "large.seq_read.3072KB.p99_9_us"}) {
        CAPTURE(good);
        CHECK(metric_from(good).has_value());
    }
    for (const char* bad : {"",
                            ".",
                            "seq_write",
                            "seq_write.1024KB",
                            "seq_write.1024.mb_per_s",
                            "seq_write.1MB.mb_per_s",
                            "seq_write.0KB.mb_per_s",
                            "seq_write.04KB.mb_per_s",
                            "seq_write.1024B.mb_per_s",
                            "seqwrite.4KB.mb_per_s",
                            "seq_write.4KB.mbps",
                            "seq_write.4KB.mb_per_s.",
                            "standard.seq_read.4KB.mb_per_s",
                            "iops.seq.ops_per_s",
                            "iops.random_read.8KB.ops_per_s",
                            "verify.mb_per_s",
                            "verify.erase.mb_per_s",
                            "seq_write.KB.iops",
                            "seq_write.99999999999999999999999KB.iops",
                            "standard.average_mb_per_s"}) {
        CAPTURE(bad);
        CHECK_FALSE(metric_from(bad).has_value());
    }
}

TEST_CASE("an implausible result in a pass is reported with its cell") {
    const workload::JobSpec job{.suite = "quickbench", .kind = workload::SweepJob{.cells = {}, .span = 64_MiB}};
    auto cells = standard_column(4);
    CHECK(implausible(job, cells, {}).empty());

    cells[5] = sample_cell("standard", Access::sequential_read, 128_KiB, 32_MiB, 6.0);
    auto found = implausible(job, cells, {});
    REQUIRE(found.size() == 1);
    CHECK(found[0].cell == "standard.seq_read.131072");
    CHECK(found[0].kind == measure::FindingKind::not_monotone);
    // A larger file need not be faster, unlike a larger transfer.
    const workload::JobSpec files{.suite = "stibium", .kind = workload::FilesJob{}};
    CHECK(implausible(files, cells, {}).empty());

    // The falling rates of the cached cell are not reported again.
    cells = standard_column(4);
    cells[0] = sample_cell("standard", Access::sequential_read, 4_KiB, 64_MiB, 200.0);
    found = implausible(job, cells, {});
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == measure::FindingKind::cache_suspected);
    CHECK(found[0].cell == "standard.seq_read.4096");

    // The device moved all data of the cell through the page cache: the rate is that of the layout of the file.
    cells[0].evidence.used = workload::CachePolicy::dropped;
    cells[0].evidence.device_read = cells[0].moved;
    CHECK(implausible(job, cells, {}).empty());
    cells[0].evidence.device_read = Bytes{cells[0].moved.count - 1};
    CHECK(implausible(job, cells, {}).size() == 1);
    // The requests behind the page cache have other sizes than the blocks.
    cells = standard_column(4);
    cells[5] = sample_cell("standard", Access::sequential_read, 128_KiB, 32_MiB, 6.0);
    for (CellResult& cell : cells) cell.evidence.used = workload::CachePolicy::dropped;
    CHECK(implausible(job, cells, {}).empty());

    CellResult drops = sample_cell("sequential", Access::sequential_write, 1_MiB, 1_GiB, 100.0);
    for (std::size_t i = 5; i < drops.series.size(); ++i) drops.series[i].moved = 20_MiB;
    found = implausible(job, {drops}, {});
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == measure::FindingKind::rate_unstable);
    CHECK_THAT(found[0].detail, ContainsSubstring("sequential write 1024 KB: the rate fell"));
}
