// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/summary.hpp"

#include <algorithm>

#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"
#include "tests/report/rendered.hpp"

using namespace mediarig;
using namespace mediarig::report;
using namespace mediarig::tests;
using measure::FindingKind, measure::Grade, measure::Severity;
using workload::Access;

namespace {

/// Rates in MB/s: read, write.
struct Rates {
    double read{}, write{};
};

/// Adds a pass of QuickBench whose blocks all have these rates, so that the averages are equal to them.
void add_pass(store::DeviceView& device, const std::string& format, Rates rates,
              const std::vector<Bytes>& blocks = suites::blocks_of(*suites::find_table("standard"))) {
    store::PassView& pass = device.passes.emplace_back();
    pass.pass.format = format;
    pass.pass.job.suite = "quickbench";
    for (const Bytes block : blocks) {
        pass.cells.push_back(fakes::sample_cell("standard", Access::sequential_read, block, 32_MiB, rates.read));
        pass.cells.push_back(fakes::sample_cell("standard", Access::sequential_write, block, 32_MiB, rates.write));
    }
    pass.end.emplace();
}

/// Five passes with a scatter of about one per cent.
void add_five(store::DeviceView& device, const std::string& format, Rates rates) {
    for (const double factor : {0.99, 1.01, 1.0, 0.995, 1.005})
        add_pass(device, format, {rates.read * factor, rates.write * factor});
}

store::DeviceView card(const std::string& name, std::optional<Grade> grade = Grade::measured) {
    store::DeviceView device;
    device.device.name = device.device.key = name;
    device.device.identity.transport = media::Transport::usb;
    device.device.identity.size = Bytes{64'000'000'000};
    if (grade) device.verdict = measure::Verdict{.grade = *grade};
    return device;
}

store::CampaignView campaign_of(std::vector<store::DeviceView> devices) {
    store::CampaignView view;
    view.campaign.state = store::CampaignState::finished;
    view.devices = std::move(devices);
    return view;
}

std::string cause_of(const store::DeviceView& device) {
    return summary_of(campaign_of({device})).rows.at(0).cause;
}

store::DeviceView with_cause(Grade grade, const measure::Finding& cause) {
    store::DeviceView device = card("card", grade);
    device.verdict->cause = cause;
    return device;
}

store::DeviceView with_limit(Grade grade, const std::string& metric) {
    store::DeviceView device = card("card", grade);
    device.verdict->limits.push_back({.limit = {.suite = "quickbench", .metric = metric, .format = "", .min = 1.0},
                                      .format = "exfat",
                                      .values = {1.0},
                                      .figure = 1.0,
                                      .uncertainty = {},
                                      .grade = grade});
    return device;
}

} // namespace

TEST_CASE("the summary lists the media worst first, with cause, size, evidence and warnings") {
    const ResultSummary summary = summary_of(fakes::sample_campaign());
    REQUIRE(summary.rows.size() == 3);
    CHECK(summary.rows[0].name == "bargain");
    CHECK(summary.rows[0].grade == Grade::fake);
    CHECK(summary.rows[0].cause == "holds 8.05 GB");
    CHECK(summary.rows[0].size == "64.4 GB");
    CHECK(summary.rows[0].genuine == "fake");
    CHECK(summary.rows[1].name == "slow");
    CHECK(summary.rows[1].cause == "random write near limit");
    CHECK(summary.rows[1].warnings == 1U);
    CHECK(summary.rows[2].name == "fast");
    CHECK(summary.rows[2].cause == "6 limits met");
    CHECK(summary.rows[2].genuine == "genuine");
    CHECK(summary.counts == "3 media: 1 PASS, 1 MARGINAL, 1 FAKE");
}

TEST_CASE("the summary has the four headline figures of the first suite by format") {
    const ResultSummary summary = summary_of(fakes::sample_campaign());
    CHECK(summary.source == "QuickBench averages, 2 passes");
    CHECK(summary.formats == std::vector<std::string>{"exfat", "apfs"});
    std::vector<Access> accesses;
    for (const SummaryColumn& column : summary.columns) {
        accesses.push_back(column.access);
        CHECK(column.unit == "MB/s");
    }
    CHECK(accesses ==
          std::vector{Access::sequential_read, Access::sequential_write, Access::random_read, Access::random_write});
    for (const SummaryRow& row : summary.rows)
        for (const auto& format : row.figures)
            for (const SummaryFigure& figure : format) CHECK(figure.passes.size() == 2);
}

TEST_CASE("causes have at most four words") {
    using measure::Finding;
    CHECK(cause_of(with_cause(Grade::fail, {.kind = FindingKind::data_damaged, .count = 12})) == "12 places damaged");
    CHECK(cause_of(with_cause(Grade::fail, {.kind = FindingKind::io_error, .count = 171})) == "171 I/O errors");
    CHECK(cause_of(with_cause(Grade::fail, {.kind = FindingKind::write_refused})) == "refuses writes");
    CHECK(cause_of(with_cause(Grade::fail, {.kind = FindingKind::check_failed})) == "file system faulty");
    CHECK(cause_of(with_cause(Grade::inconclusive, {.kind = FindingKind::medium_lost})) == "removed or lost contact");
    CHECK(cause_of(with_limit(Grade::fail, "seq_write.1024KB.mb_per_s")) == "sequential write too slow");
    CHECK(cause_of(with_limit(Grade::inconclusive, "seq_write.1024KB.mb_per_s")) == "sequential write not measured");
    CHECK(cause_of(with_limit(Grade::pass, "seq_write.1024KB.mb_per_s")) == "limit met");
    CHECK(cause_of(card("card", Grade::pass)) == "every byte compared");
    CHECK(cause_of(card("card", Grade::fake)) == "holds less than claimed");
    CHECK(cause_of(card("card", Grade::probed)) == "capacity only probed");
    CHECK(cause_of(card("card", std::nullopt)) == "not judged");
    store::DeviceView absent = card("card", std::nullopt);
    absent.device.identity.transport = media::Transport::unknown;
    absent.untested = {{.key = "m0.identify", .why = "no such device"}};
    CHECK(cause_of(absent) == "not identified");
}

TEST_CASE("media without figures stay in the summary") {
    store::DeviceView measured = card("measured");
    add_pass(measured, "exfat", {90, 30});
    const ResultSummary summary = summary_of(campaign_of({measured, card("dead", Grade::fail)}));
    REQUIRE(summary.rows.size() == 2);
    CHECK(summary.rows[0].name == "dead");
    CHECK_FALSE(summary.rows[0].has_figures(0));
    CHECK(summary.rows[1].has_figures(0));
    CHECK(summary.ranking.empty());
}

TEST_CASE("the best format is marked only if four passes or more support it") {
    const auto best_of = [](const store::DeviceView& device) {
        std::vector<bool> best;
        const ResultSummary summary = summary_of(campaign_of({device}));
        for (const auto& format : summary.rows.at(0).figures)
            for (const SummaryFigure& figure : format) best.push_back(figure.best);
        return best;
    };
    store::DeviceView often = card("often");
    add_five(often, "exfat", {90, 30});
    add_five(often, "apfs", {80, 30.01});
    CHECK(best_of(often) == std::vector<bool>{true, false, false, false});
    store::DeviceView once = card("once");
    add_pass(once, "exfat", {90, 30});
    add_pass(once, "apfs", {40, 10});
    CHECK(best_of(once) == std::vector<bool>{false, false, false, false});
}

TEST_CASE("the ranking orders media under their common format, and formats of a single medium") {
    store::DeviceView red = card("red"), blue = card("blue"), old = card("old"), fake = card("bargain", Grade::fake);
    add_five(red, "exfat", {90, 30});
    add_five(blue, "apfs", {10, 10});
    add_five(blue, "exfat", {40, 20});
    add_five(old, "exfat", {40.1, 20.1});
    add_five(fake, "exfat", {99, 99});
    CHECK(summary_of(campaign_of({red, blue, old, fake})).ranking ==
          "red is fastest under exFAT: 90.0 MB/s sequential read, 30.0 MB/s sequential write; old and blue cannot be "
          "distinguished. Not ranked, because fake: bargain.");
    CHECK(summary_of(campaign_of({blue})).ranking ==
          "exFAT is fastest: 40.0 MB/s sequential read, 20.0 MB/s sequential write; then APFS.");
    CHECK(summary_of(campaign_of({red})).ranking.empty());
}

TEST_CASE("without headline figures, the summary has the rates of the largest block") {
    store::DeviceView device = card("card");
    add_pass(device, "exfat", {90, 30}, {4_KiB, 64_KiB});
    const ResultSummary summary = summary_of(campaign_of({device}));
    CHECK(summary.source == "QuickBench, blocks of 64 KB, 1 pass");
    REQUIRE(summary.columns.size() == 2);
    CHECK(text_of(summary.rows.at(0).figures.at(0).at(0)) == "90.0");
    CHECK(text_of(summary.rows.at(0).figures.at(0).at(1)) == "30.0");
}

TEST_CASE("an outline gives grades and headline figures, and no evidence and warnings") {
    store::CampaignView outline = fakes::sample_campaign();
    const ResultSummary whole = summary_of(outline);
    for (store::DeviceView& device : outline.devices) forget(device);
    const ResultSummary summary = SummaryMaker(outline).finish(3);
    REQUIRE(summary.rows.size() == 3);
    CHECK(summary.rows[0].cause == "holds less than claimed");
    CHECK(summary.rows[0].genuine == "fake");
    CHECK(summary.rows[2].genuine.empty());
    CHECK_FALSE(summary.rows[2].warnings);
    CHECK(summary.source == whole.source);
    CHECK(text_of(summary.rows[2].figures[0][0]) == text_of(whole.rows[2].figures[0][0]));
}

TEST_CASE("the summary as CSV has a row for each medium and format") {
    store::DeviceView red = card("red, 1"), dead = card("dead", Grade::fail);
    add_pass(red, "exfat", {90, 30});
    add_pass(red, "apfs", {80, 20});
    red.findings = {{.kind = FindingKind::cache_suspected, .severity = Severity::warning}};
    CHECK(render_summary_csv(summary_of(campaign_of({red, dead}))) ==
          "device,verdict,cause,size,genuine,warnings,format,source,sequential_read,sequential_read_unit,"
          "sequential_read_best,sequential_write,sequential_write_unit,sequential_write_best,random_read,"
          "random_read_unit,random_read_best,random_write,random_write_unit,random_write_best\r\n"
          "dead,FAIL,fault found,64.0 GB,unproven,0,,,,,,,,,,,,,,\r\n"
          "\"red, 1\",MEASURED,only rates measured,64.0 GB,unproven,1,exfat,\"QuickBench averages, 1 pass\",90,MB/s,"
          "0,30,MB/s,0,,,,,,\r\n"
          "\"red, 1\",MEASURED,only rates measured,64.0 GB,unproven,1,apfs,\"QuickBench averages, 1 pass\",80,MB/s,"
          "0,20,MB/s,0,,,,,,\r\n");
    const auto broken = [](store::DeviceView&) -> Result<void> { return fail(Errc::store_failed, "damaged"); };
    CHECK(reason(render_summary_csv(campaign_of({red}), broken)) == "damaged");
}

TEST_CASE("an empty campaign has an empty summary") {
    const ResultSummary summary = summary_of({});
    CHECK(summary.rows.empty());
    CHECK(summary.columns.empty());
    CHECK(summary.ranking.empty());
    CHECK(summary.counts.empty());
}
