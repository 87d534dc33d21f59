// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/cards/card.hpp"
#include "host/report/cards/lot.hpp"

#include <algorithm>

#include "host/base/text.hpp"
#include "host/campaign/run/assess.hpp"
#include "host/report/figures/figures.hpp"
#include "host/report/figures/findings.hpp"
#include "host/report/tables/tables.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/sample_campaign.hpp"

using namespace mediarig;
using namespace mediarig::report;
using measure::FindingKind, measure::Grade, measure::Severity;
using workload::Access;

namespace {

ReportCard card_of(const store::CampaignView& view) {
    return report::card_of(view, 0);
}

std::vector<std::string> row(const ReportCard& card, const std::string& title) {
    const auto found = std::ranges::find(card.rows, title, &CardRow::title);
    return found == card.rows.end() ? std::vector<std::string>{} : found->lines;
}

/// A stick without writes.
store::CampaignView one_stick() {
    store::CampaignView view;
    view.campaign.id = "c1";
    view.campaign.state = store::CampaignState::finished;
    view.devices.resize(1);
    store::DeviceRecord& device = view.devices[0].device;
    device.name = "stick";
    device.identity.node = "/dev/sdb";
    device.identity.serial = "AB12";
    device.identity.transport = media::Transport::usb;
    device.identity.size = 64'000'000'000_B;
    return view;
}

store::PassView& add_pass(store::CampaignView& view, const std::string& suite, const std::string& format) {
    store::DeviceView& device = view.devices[0];
    store::PassView pass;
    pass.pass.repeat = static_cast<std::uint32_t>(device.passes.size() + 1);
    pass.pass.id = "pass " + std::to_string(pass.pass.repeat);
    pass.pass.format = format;
    pass.pass.job.suite = suite;
    device.passes.push_back(std::move(pass));
    return device.passes.back();
}

/// A verify pass of the bare device with this outcome.
store::CampaignView verified(workload::VerifyOutcome outcome) {
    auto view = one_stick();
    store::PassView& pass = add_pass(view, "verify", "raw");
    pass.end.emplace();
    pass.end->verify = std::move(outcome);
    pass.pass.job.kind = workload::VerifyJob{};
    return view;
}

void judge(store::CampaignView& view, const std::vector<measure::Limit>& limits = {}) {
    view.devices[0].verdict = campaign::assess(view.devices[0], limits);
}

measure::Finding finding(FindingKind kind, const std::string& detail, Severity severity = Severity::fault,
                         std::uint64_t offset = 0) {
    return {.kind = kind, .severity = severity, .detail = detail, .offset = Bytes{offset}, .length = 4_KiB};
}

measure::Limit writes_at_least(double rate) {
    return {.suite = "quickbench", .metric = "seq_write.64KB.mb_per_s", .format = "", .min = rate, .max = {}};
}

/// A number of passes of one write cell under exFAT.
store::CampaignView written(const std::vector<double>& rates) {
    auto view = one_stick();
    for (const double rate : rates)
        add_pass(view, "quickbench", "exfat")
            .cells.push_back(fakes::sample_cell("standard", Access::sequential_write, 64_KiB, 64_MiB, rate));
    return view;
}

} // namespace

TEST_CASE("genuine: a good medium has its claimed size, and a fake shows claimed size, real size and method") {
    using Outcome = workload::VerifyOutcome;
    const Bytes claimed = 64'000'000'000_B, part = 2'000'000'000_B;
    const auto genuine = [](const Outcome& outcome) { return row(card_of(verified(outcome)), "Genuine?"); };
    const Outcome good{.claimed = claimed, .written = claimed, .good = claimed, .damaged = {}};
    CHECK(genuine(good) == std::vector<std::string>{
                               "Yes. It has the claimed capacity: all 64.0 GB were written, read back and compared."});
    Outcome after_loss = good;
    after_loss.power_cycled = "removed and connected again by the operator";
    CHECK_THAT(genuine(after_loss).front(), ContainsSubstring("read back after a loss of power and compared"));

    Outcome fake = good;
    fake.good = part;
    fake.true_capacity = part;
    fake.verdict = workload::CapacityVerdict::fake;
    fake.fake = workload::FakeKind::wrap;
    CHECK(genuine(fake) ==
          std::vector<std::string>{"No. Claims 64.0 GB, holds 2.00 GB (3.12 %).",
                                   "Data written beyond that position overwrites data at lower positions.",
                                   "Found by writing all of it and reading it back."});
    fake.probe.emplace();
    fake.probe->read = 100'000'000_B;
    CHECK(genuine(fake).back() == "Found by a quick probe, which read 100 MB back.");

    Outcome probed = good;
    probed.probe.emplace();
    CHECK_THAT(genuine(probed).front(), ContainsSubstring("No sign of a fake"));
    Outcome partly = good;
    partly.good = part;
    CHECK(genuine(partly) == std::vector<std::string>{"Undecided. 2.00 GB of 64.0 GB checked, no fault so far."});
    Outcome damaged = good;
    damaged.damaged = {{.offset = 4'180'000'000_B, .length = 4_KiB, .kind = {}, .belongs_at = {}}};
    damaged.damaged_bytes = 4_KiB;
    CHECK(genuine(damaged) ==
          std::vector<std::string>{
              "Not judged where it is damaged: 1 place, 4.10 kB, does not keep written data; the first at 4.18 GB."});
    Outcome unclear = good;
    unclear.verdict = workload::CapacityVerdict::inconclusive;
    CHECK_THAT(genuine(unclear).front(), ContainsSubstring("are contradictory"));
    CHECK_THAT(row(card_of(one_stick()), "Genuine?").front(), ContainsSubstring("Not tested"));
}

TEST_CASE("genuine: a test of a part claims no test of the whole medium") {
    for (const Bytes written : {64_MiB, 512_MiB, 1_GiB - 16_MiB}) {
        auto view = verified({.claimed = 1_GiB, .written = written, .good = 16_MiB, .damaged = {}});
        view.devices[0].passes[0].end->verify->true_capacity = 16_MiB;
        view.devices[0].passes[0].end->verify->fake = workload::FakeKind::wrap;
        CHECK(row(card_of(view), "Genuine?").back() ==
              "Found by writing " + size_text(written) + " and reading it back.");
    }
}

TEST_CASE("genuine: a medium that turned read-only has no damaged places") {
    struct Row {
        Bytes written;
        std::string line;
    };
    for (const Row& each :
         {Row{25'165'824_B,
              "Not judged: it accepted 25.2 MB of 67.1 MB, of which 25.2 MB came back intact, and then "
              "refused all writes."},
          Row{10'485'760_B,
              "Not judged: it accepted 10.5 MB of 67.1 MB, of which 10.5 MB came back intact, and then "
              "refused all writes."}}) {
        auto view = verified({.claimed = 64_MiB, .written = each.written, .good = each.written, .damaged = {}});
        view.devices[0].passes[0].end->verify->verdict = workload::CapacityVerdict::damaged;
        CHECK(row(card_of(view), "Genuine?") == std::vector<std::string>{each.line});
    }
    auto checked = verified({.claimed = 64_MiB, .written = 1_MiB, .good = 1_MiB, .damaged = {}});
    workload::VerifyOutcome& outcome = *checked.devices[0].passes[0].end->verify;
    outcome.verdict = workload::CapacityVerdict::damaged;
    outcome.probe.emplace();
    outcome.restored = workload::RestoreReport{.places = 3, .bytes = 12_KiB, .written = 12_KiB, .lost = 2};
    CHECK(row(card_of(checked), "Genuine?") ==
          std::vector<std::string>{"Not judged: 2 sectors did not accept the former content again."});
}

TEST_CASE("the verdict and the row Genuine? give the same places of damage, also after several tests") {
    for (const std::uint64_t places : {1U, 2U, 72U}) {
        auto view = verified({.claimed = 1_GiB, .written = 1_GiB, .good = 1_GiB, .damaged = {}});
        add_pass(view, "verify", "raw").end.emplace();
        view.devices[0].passes[1].end->verify = view.devices[0].passes[0].end->verify;
        for (std::size_t pass = 0; pass < 2; ++pass) {
            workload::VerifyOutcome& outcome = *view.devices[0].passes[pass].end->verify;
            for (std::uint64_t i = 0; i <= places * pass; ++i)
                outcome.damaged.push_back(
                    {.offset = Bytes{(i + 2) << 20}, .length = 4_KiB, .kind = {}, .belongs_at = {}});
            outcome.damaged_bytes = 4_KiB * outcome.damaged.size();
            outcome.verdict = workload::CapacityVerdict::damaged;
            auto damage = finding(FindingKind::data_damaged, "bytes", Severity::fault, 2 << 20);
            damage.count = outcome.damaged.size();
            damage.length = outcome.damaged_bytes;
            view.devices[0].passes[pass].findings = {damage};
        }
        judge(view);
        const ReportCard card = card_of(view);
        const std::string text = damage_text(*view.devices[0].passes[1].end->verify);
        CHECK(row(card, "Genuine?").front() == "Not judged where it is damaged: " + text + ".");
        CHECK(card.verdict == capitalised(text) + ".");
        // The line of a running campaign has no places of the record.
        CHECK(verdict_text(view.devices[0].verdict, store::CampaignState::running) == card.verdict);
    }
}

TEST_CASE("genuine: a failed pass outweighs a good pass, and a proof outweighs a probe") {
    auto view = verified({.claimed = 1_GiB, .written = 1_GiB, .good = 1_GiB, .damaged = {}});
    add_pass(view, "capacity", "raw").end.emplace();
    view.devices[0].passes[1].end->verify = workload::VerifyOutcome{.claimed = 1_GiB, .damaged = {}};
    view.devices[0].passes[1].end->verify->probe.emplace();
    CHECK_THAT(row(card_of(view), "Genuine?").front(), ContainsSubstring("Yes."));
    view.devices[0].passes[1].end->verify->true_capacity = 1_MiB;
    CHECK_THAT(row(card_of(view), "Genuine?").front(), ContainsSubstring("No."));
}

TEST_CASE("genuine: a directory has no claimed capacity and is not judged") {
    auto view = one_stick();
    view.devices[0].device.identity.transport = media::Transport::directory;
    CHECK(row(card_of(view), "Genuine?").empty());
    // The size of a directory is the free space of its file system.
    view.devices[0].device.identity.size = 29'200'000'000_B;
    CHECK_THAT(card_of(view).title, ContainsSubstring("29.2 GB free"));
    CHECK_THAT(line_of_device(view, 0), ContainsSubstring(", 29.2 GB free"));
    view.devices[0].device.identity.transport = media::Transport::image;
    CHECK_THAT(card_of(view).title + line_of_device(view, 0), !ContainsSubstring("free"));
}

TEST_CASE("the verdict describes the limit and names too few passes as the reason for doubt") {
    auto slow = written({4.42});
    judge(slow, {writes_at_least(6)});
    CHECK(card_of(slow).verdict == "Writes 4.42 MB/s in blocks of 64 KB under exFAT, at least 6 wanted.");
    CHECK(card_of(slow).grade == Grade::fail);

    auto near = written({5.9, 6.3});
    judge(near, {writes_at_least(6)});
    CHECK(card_of(near).verdict ==
          "Writes 5.90 to 6.30 MB/s in blocks of 64 KB under exFAT, at least 6 wanted: too close to decide from 2 "
          "passes.");
    CHECK_THAT(row(card_of(near), "Next").front(), ContainsSubstring("4 or more"));

    // Two passes that scatter, at about three times the limit.
    auto fast = written({18, 24});
    judge(fast, {writes_at_least(6)});
    CHECK(card_of(fast).verdict == "The limit is met; no faults found.");
    CHECK(row(card_of(fast), "Limits").empty());

    auto unlimited = written({18});
    judge(unlimited);
    CHECK(card_of(unlimited).grade == Grade::measured);
    CHECK(card_of(unlimited).verdict == "Measured, no fault found; no limit set, and the capacity was not tested.");
    auto missing = written({18});
    missing.devices[0].untested = {{.key = "apfs", .why = "no driver"}};
    judge(missing);
    CHECK(card_of(missing).verdict == "Not tested: apfs: no driver.");
    CHECK(row(card_of(missing), "Not tested") == std::vector<std::string>{"apfs: no driver"});
    // Step keys are for programs only.
    missing.devices[0].untested = {{.key = "m0.r2.keep.quickbench", .why = "no driver"},
                                   {.key = "m0.claim", .why = "Permission denied"}};
    judge(missing);
    CHECK(card_of(missing).verdict == "Not tested: quickbench on the present volume, repeat 2: no driver.");
    CHECK(
        row(card_of(missing), "Not tested") ==
        std::vector<std::string>{"quickbench on the present volume, repeat 2: no driver", "claim: Permission denied"});
    missing.devices[0].verdict.reset();
    missing.campaign.state = store::CampaignState::failed;
    CHECK(row(card_of(missing), "Next") ==
          std::vector<std::string>{"Correct the causes under “Not tested”, then test it again."});
    // The campaign was abandoned: a new campaign begins from its plan.
    missing.campaign.state = store::CampaignState::finished;
    missing.campaign.origin.resume_with = "mediarig run lot.json --resume --lanes 4";
    judge(missing);
    CHECK(row(card_of(missing), "Next") ==
          std::vector<std::string>{
              "Correct the causes under “Not tested”, then test it again; its plan: mediarig campaigns plan c1"});
}

TEST_CASE("how fast: headline figures per suite and format precede best and worst second") {
    const auto speed = row(card_of(fakes::sample_campaign(), 1), "How fast?");
    REQUIRE(speed.size() == 6);
    CHECK(speed[0] == "raw: sequential read 43.6, write 19.9 MB/s (verify), from end to end; 1 pass");
    CHECK(speed[1] ==
          "exFAT: sequential read 32.7 to 32.8, write 9.36 to 10.4; random read 29.1 to 29.3, write 5.05 to "
          "5.07 MB/s (QuickBench averages); 2 passes");
    CHECK(speed[3].rfind("exFAT: sequential write 19.9 to 20.3, read 43.5 to 44.7 MB/s; random write ", 0) == 0);
    CHECK(speed[5].rfind("raw: best second of writing 22.0, worst 17.8 MB/s (verify); blocks of ", 0) == 0);
    // A volume that fits in a cache does not show the speed of a medium.
    auto small = written({18});
    const std::size_t lines = row(card_of(small), "How fast?").size();
    small.devices[0].device.identity.size = 16_MiB;
    CHECK(row(card_of(small), "How fast?").back() ==
          "16.8 MB fit into the caches on the way: for so small a medium these figures have little meaning.");
    small.devices[0].device.identity.transport = media::Transport::directory;
    CHECK(row(card_of(small), "How fast?").size() == lines);
    // Without an average, the largest measured block counts.
    CHECK(row(card_of(written({4.4, 4.6, 4.5, 4.5})), "How fast?").front() ==
          "exFAT: sequential write 4.50 ±0.13 MB/s (QuickBench, 64 KB); 4 passes");
}

TEST_CASE("how fast: the figures of an emulated medium's card model precede the measured ones in one line") {
    auto view = written({4.4, 4.6, 4.5, 4.5});
    const std::size_t lines = row(card_of(view), "How fast?").size();
    view.devices[0].device.identity.card_model = {.read_bytes_per_second = 90e6,
                                                  .write_bytes_per_second = 6e6,
                                                  .read_request_ns = 160'000,
                                                  .write_request_ns = 260'000};
    REQUIRE(row(card_of(view), "How fast?").size() == lines + 1);
    CHECK(row(card_of(view), "How fast?").back() ==
          "card model: sequential write 6.00 MB/s plus 0.26 ms per request, measured 4.50 (exFAT)");
    view.devices[0].device.identity.card_model->write_bytes_per_second = 0;
    CHECK_THAT(row(card_of(view), "How fast?").back(), ContainsSubstring("sequential write any rate plus 0.26 ms"));
    // Without a measurement there is no line.
    view.devices[0].passes.clear();
    CHECK(row(card_of(view), "How fast?").empty());
}

TEST_CASE("how fast: figures of a quick run are marked as quick") {
    auto view = written({4.4, 4.6});
    for (store::PassView& pass : view.devices[0].passes) pass.pass.job.quick = true;
    CHECK_THAT(row(card_of(view), "How fast?").front(), ContainsSubstring("(QuickBench, 64 KB); quick, 2 passes"));
    const auto tables = tables_of(view, Figures(view));
    REQUIRE(tables.size() == 1);
    CHECK(tables[0].notes.back() ==
          "Quick: the protocol of QuickBench, with far less data and time: not comparable with published figures.");
}

TEST_CASE("how fast: suites with their own tables keep their terms and units and state the limits of a figure") {
    const auto told = [](const char* suite, std::vector<workload::CellResult> cells) {
        auto view = one_stick();
        add_pass(view, suite, "keep").cells = std::move(cells);
        return row(card_of(view), "How fast?").front();
    };
    const auto cell = [](const char* table, Access access, std::uint64_t operations,
                         std::chrono::milliseconds elapsed) {
        workload::CellResult made = fakes::sample_cell(table, access, 8_KiB, 64_MiB, 30);
        made.moved = Bytes{operations * 8192};
        made.operations = operations;
        made.elapsed = elapsed;
        made.evidence.used = workload::CachePolicy::dropped;
        return made;
    };
    using std::chrono::milliseconds;
    CHECK(told("bonnie", {cell("put_block", Access::sequential_write, 4096, milliseconds(400)),
                          cell("get_block", Access::sequential_read, 4096, milliseconds(1000)),
                          cell("seeks", Access::random_read, 512, milliseconds(1000))}) ==
          "present volume: block write at least 83.9, block read 33.6 MB/s; seeks/s 512 (Bonnie++); 1 pass");
    CHECK(told("enumerate", {cell("create", Access::sequential_write, 400, milliseconds(1000)),
                             cell("walk", Access::sequential_read, 900, milliseconds(1000))}) ==
          "present volume: files made/s 400; entries walked/s fresh 900 (Enumeration); 1 pass");
    CHECK(told("blogbench", {cell("blogs", Access::random_write, 41, milliseconds(1000)),
                             cell("blogs", Access::random_read, 3454, milliseconds(1000))}) ==
          "present volume: score for writes 41; score for reads 3454 (Blogbench); 1 pass");
    workload::CellResult cached = cell("dd", Access::sequential_write, 4096, milliseconds(1000));
    cached.evidence.used = workload::CachePolicy::cached;
    CHECK(told("dd", {cached}) == "present volume: write 33.6 MB/s (dd); through this computer's cache, 1 pass");
}

TEST_CASE("next: an interrupted verification without a result suggests a half-minute probe") {
    auto view = one_stick();
    add_pass(view, "verify", "raw").pass.job.kind = workload::VerifyJob{};
    view.campaign.state = store::CampaignState::interrupted;
    const auto told = [&] {
        return row(card_of(view), "Next").back().find(" --probe (erases it)") != std::string::npos;
    };
    CHECK(told());
    view.campaign.origin.agent = "lab";
    CHECK_FALSE(told());
    view.campaign.origin.agent.clear();
    judge(view);
    CHECK_FALSE(told());
    view.devices[0].verdict.reset();
    view.devices[0].passes[0].pass.format = "exfat";
    CHECK_FALSE(told());
}

TEST_CASE("next: a partial verification suggests a half-minute probe of the whole medium") {
    auto view = verified({.claimed = 1_GiB, .written = 64_MiB, .good = 64_MiB, .damaged = {}});
    judge(view);
    REQUIRE_THAT(row(card_of(view), "Genuine?").front(), ContainsSubstring("Undecided."));
    const auto next = row(card_of(view), "Next");
    REQUIRE(next.size() == 3);
    CHECK_THAT(next.front(), ContainsSubstring("mediarig verify /dev/sdb --confirm AB12 (erases it)"));
    CHECK_THAT(next[1], ContainsSubstring(" --probe (erases it)"));
    CHECK(next.back() == "It has no file system now; to make one: mediarig format /dev/sdb --fs exfat --confirm AB12");
}

TEST_CASE("next: an interrupted campaign with a proven medium suggests no further proof") {
    auto view = verified({.claimed = 1_GiB, .written = 1_GiB, .good = 1_GiB, .damaged = {}});
    view.devices[0].passes[0].pass.job.kind = workload::VerifyJob{};
    view.campaign.state = store::CampaignState::interrupted;
    REQUIRE_THAT(row(card_of(view), "Genuine?").front(), ContainsSubstring("Yes."));
    CHECK(row(card_of(view), "Next") == std::vector<std::string>{"Test it again."});
}

TEST_CASE("next: a damaged medium that was overwritten is not suggested for copying") {
    auto view = verified({.claimed = 1_GiB,
                          .written = 1_GiB,
                          .good = 1_GiB,
                          .damaged = {{.offset = 4_MiB, .length = 4_KiB, .kind = {}, .belongs_at = {}}},
                          .damaged_bytes = 4_KiB});
    view.devices[0].passes[0].findings = {finding(FindingKind::data_damaged, "4096 bytes")};
    judge(view);
    CHECK_THAT(row(card_of(view), "Next").front(), ContainsSubstring("Do not use it. For the seller: mediarig report"));
    view.devices[0].passes[0].pass.format = "exfat";
    judge(view);
    CHECK(row(card_of(view), "Next") == std::vector<std::string>{"Copy what you need from it, then stop using it."});
}

TEST_CASE("a pulled card has one finding and is INCONCLUSIVE despite the resulting I/O errors") {
    auto view = written({4.4, 4.4});
    store::PassView& pass = view.devices[0].passes[1];
    for (std::uint64_t i = 0; i < 171; ++i)
        pass.cells[0].findings.push_back(
            finding(FindingKind::io_error, "read failed: I/O error", Severity::fault, i << 20));
    pass.findings.push_back(finding(FindingKind::medium_lost, "the medium vanished during a read"));
    judge(view);
    const ReportCard card = card_of(view);
    CHECK(card.grade == Grade::inconclusive);
    CHECK(card.verdict == "The medium was pulled, lost contact or stopped answering.");
    CHECK(row(card, "Warnings") ==
          std::vector<std::string>{"fault medium lost in exFAT pass 2: the medium vanished during a read; 171 more "
                                   "errors of that pass came with it"});
    CHECK_THAT(row(card, "Next").front(), ContainsSubstring("Check contact and power, then test it again."));
    view.campaign.state = store::CampaignState::interrupted;
    view.campaign.origin.resume_with = "mediarig run lot.json --resume";
    CHECK(row(card_of(view), "Next") ==
          std::vector<std::string>{"Check contact and power, then resume with: mediarig run lot.json --resume"});

    // Errors of another pass belong to the medium.
    view.devices[0].passes[0].findings.push_back(finding(FindingKind::io_error, "read failed: I/O error"));
    judge(view);
    CHECK(card_of(view).grade == Grade::fail);
    CHECK(row(card_of(view), "Warnings").size() == 2);
    // Damage also belongs to the medium, in any pass.
    auto damaged = written({4.4});
    damaged.devices[0].passes[0].findings = {finding(FindingKind::medium_lost, "gone"),
                                             finding(FindingKind::data_damaged, "differs")};
    judge(damaged);
    CHECK(card_of(damaged).grade == Grade::fail);
}

TEST_CASE("a partly verified device does not get PASS, because a fake may have that capacity") {
    const workload::VerifyOutcome part{
        .claimed = 268'435'456_B, .good = 64_MiB, .verdict = workload::CapacityVerdict::good};
    auto view = verified(part);
    view.devices[0].passes[0].cells.push_back(
        fakes::sample_cell("verify", Access::sequential_write, 1_MiB, 64_MiB, 20));
    judge(view);
    const ReportCard card = card_of(view);
    CHECK(card.grade == Grade::sampled);
    CHECK(card.verdict == "Only 67.1 MB of 268 MB were checked, and a fake may have that capacity too.");
    CHECK_THAT(row(card, "Genuine?").front(), ContainsSubstring("Undecided. 67.1 MB of 268 MB checked"));
    CHECK_THAT(row(card, "How fast?").front(), ContainsSubstring(", of a part; "));
    CHECK_THAT(row(card, "Next").front(),
               ContainsSubstring("To prove its capacity, write and read back all of it: mediarig verify"));
    CHECK_THAT(row(card, "Next").at(1), ContainsSubstring("--probe"));
    // The same amount on a file system, where a verify without a span fills everything except a reserve.
    auto directory = view;
    directory.devices[0].passes[0].pass.format = "directory";
    judge(directory);
    CHECK(card_of(directory).grade == Grade::pass);
    directory.devices[0].passes[0].pass.job.kind = workload::VerifyJob{.span = 64_MiB};
    judge(directory);
    CHECK(card_of(directory).grade == Grade::sampled);
    // The complete medium, the limit's condition and the other measurements have separate verdicts.
    auto whole = view;
    whole.devices[0].passes[0].end->verify->good = part.claimed;
    judge(whole);
    CHECK(card_of(whole).grade == Grade::pass);
    auto measured = view;
    add_pass(measured, "quickbench", "exfat")
        .cells.push_back(fakes::sample_cell("standard", Access::sequential_write, 64_KiB, 64_MiB, 10));
    judge(measured);
    CHECK(card_of(measured).grade == Grade::sampled);
    // Damage on the file system keeps its verdict.
    auto damaged = verified(part);
    damaged.devices[0].passes[0].findings = {finding(FindingKind::data_damaged, "differs")};
    judge(damaged);
    CHECK(card_of(damaged).grade == Grade::fail);
}

TEST_CASE("a good probe is PROBED, and its card names the cache that could have misled it") {
    workload::VerifyOutcome probed{.claimed = 2'147'483'648_B,
                                   .good = 1_MiB,
                                   .verdict = workload::CapacityVerdict::good,
                                   .probe = workload::ProbeEffort{.assumed_cache = 536'870'912_B, .read = 4_MiB}};
    auto view = verified(probed);
    view.devices[0].passes[0].pass.job.kind = workload::ProbeJob{};
    judge(view);
    CHECK(card_of(view).grade == Grade::probed);
    CHECK(card_of(view).verdict ==
          "A probe found no sign of a fake in 2.15 GB, and a cache of more than 537 MB could have misled it: its "
          "capacity is not proven.");
    CHECK(row(card_of(view), "Genuine?") ==
          std::vector<std::string>{"No sign of a fake: a quick probe found the claimed 2.15 GB.",
                                   "A cache of more than 537 MB could have misled it; only writing and reading back "
                                   "all of it proves the capacity."});
    // Benchmarks in addition to the probe prove nothing about the capacity. If limits are met, they decide the grade.
    add_pass(view, "quickbench", "exfat")
        .cells.push_back(fakes::sample_cell("standard", Access::sequential_write, 64_KiB, 64_MiB, 10));
    judge(view);
    CHECK(card_of(view).grade == Grade::probed);
    judge(view, {writes_at_least(6)});
    CHECK(card_of(view).grade == Grade::pass);
}

TEST_CASE(
    "the reported range of damage extends from its first to its last byte, however few bytes between are damaged") {
    auto view = written({4.4});
    auto& findings = view.devices[0].passes[0].findings;
    findings = {finding(FindingKind::data_damaged, "1024 bytes", Severity::fault, 2'000'000)};
    findings[0].length = 1_KiB; // the sum of two sectors
    findings[0].end = 60'000'512_B;
    findings[0].count = 2;
    auto groups = findings_by_kind(view.devices[0]);
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].first == 2'000'000_B);
    CHECK(groups[0].last == 60'000'512_B);
    CHECK_THAT(text_of(groups[0]), ContainsSubstring("2 times between 2.00 MB and 60.0 MB"));
    // A finding before this range extends it, and a finding within it does not change it.
    findings.push_back(finding(FindingKind::data_damaged, "more", Severity::fault, 5'000'000));
    findings.push_back(finding(FindingKind::data_damaged, "first", Severity::fault, 512));
    groups = findings_by_kind(view.devices[0]);
    CHECK(groups[0].first == 512_B);
    CHECK(groups[0].last == 60'000'512_B);
}

TEST_CASE("findings of one kind share a line with their number, range of places and worst case") {
    auto view = written({4.4});
    auto& findings = view.devices[0].passes[0].findings;
    findings.push_back(finding(FindingKind::slow_region, "half as fast", Severity::note));
    for (std::uint64_t i = 1; i <= 9; ++i) {
        findings.push_back(finding(FindingKind::not_monotone,
                                   "does not fit; the medium's own garbage collection: repeat it", Severity::warning,
                                   i * 1'000'000'000));
        findings.back().cell = "cell " + std::to_string(i);
    }
    const auto groups = findings_by_kind(view.devices[0]);
    REQUIRE(groups.size() == 2);
    CHECK(groups[0].times == 9);
    CHECK(text_of(groups[0]) ==
          "warning not monotone, 9 times between 1.00 GB and 9.00 GB, worst in exFAT pass 1, cell 1: does not fit");
    CHECK(text_of(groups[1]) == "note slow region in exFAT pass 1: half as fast");
    for (const FindingKind kind : {FindingKind::direct_refused, FindingKind::cache_suspected, FindingKind::misaligned,
                                   FindingKind::driver_limit, FindingKind::resumed})
        findings.push_back(finding(kind, "x", Severity::note));
    const auto lines = row(card_of(view), "Warnings");
    REQUIRE(lines.size() == 6);
    CHECK(lines.back() == "2 more kinds of findings");
}

TEST_CASE("findings of one kind that share a line name the busy host as their probable cause") {
    auto view = written({4.4});
    auto& findings = view.devices[0].passes[0].findings;
    for (const char* cell : {"cell 1", "cell 2"}) {
        findings.push_back(finding(FindingKind::not_monotone,
                                   "does not fit; probably the busy host (steal 40 %), otherwise the medium",
                                   Severity::warning));
        findings.back().cell = cell;
    }
    CHECK(
        text_of(findings_by_kind(view.devices[0]).at(0)) ==
        "warning not monotone, 2 times between 0 B and 4.10 kB, worst in exFAT pass 1, cell 1: does not fit; probably "
        "the busy host (steal 40 %)");
}

TEST_CASE("a device without a verdict shows a reason that depends on the state of the campaign") {
    auto view = one_stick();
    view.campaign.state = store::CampaignState::running;
    CHECK(card_of(view).verdict == "Not judged yet: the campaign is running.");
    view.campaign.state = store::CampaignState::interrupted;
    CHECK(card_of(view).verdict == "Not judged: the campaign did not finish.");
    CHECK(row(card_of(view), "Next") == std::vector<std::string>{"Test it again."});
    view.campaign.origin.resume_with = "mediarig run lot.json --resume";
    CHECK(row(card_of(view), "Next") == std::vector<std::string>{"Resume with: mediarig run lot.json --resume"});
}

TEST_CASE("format: each format has a line with its worst deviation") {
    const auto formats = row(card_of(fakes::sample_campaign(), 0), "Format");
    REQUIRE(formats.size() == 3);
    CHECK(formats[0] == "As it came: matches the SD layout");
    CHECK_THAT(
        formats[1],
        ContainsSubstring("exFAT (made for the test): 4 warnings, worst: partition table, scheme: none, expected mbr"));
    CHECK(row(card_of(fakes::sample_campaign(), 1), "Format").back() == "APFS: sound");
}

TEST_CASE("used: signs of one source are not sufficient for a verdict") {
    auto view = one_stick();
    CHECK(row(card_of(view), "Used?").empty());
    store::DeviceRecord& device = view.devices[0].device;
    device.identity.smart = media::SmartReport{};
    device.identity.smart->power_cycles = 900;
    CHECK(row(card_of(view), "Used?") ==
          std::vector<std::string>{"Signs of use: power ups (900); not sufficient for a verdict."});

    device.found = media::InspectReport{.size = device.identity.size, .scheme = "none", .volumes = {}};
    device.found->volumes.emplace_back().free_space =
        media::FreeSpaceSample{.sampled = 64, .with_data = 12, .unreadable = 0, .first = {}};
    CHECK(row(card_of(view), "Used?") ==
          std::vector<std::string>{"Used: power ups (900); data in free space (12 of 64 places)."});
    view.campaign.origin.agent = "lab";
    CHECK(row(card_of(view), "Used?").empty());
}

TEST_CASE("used: a faster first write is added only without a discard before the passes") {
    auto view = written({40, 20, 20.1, 19.9});
    view.devices[0].device.identity.smart = media::SmartReport{};
    view.devices[0].device.identity.smart->power_cycles = 900;
    CHECK_THAT(row(card_of(view), "Used?").at(0), ContainsSubstring("; the first write was"));
    view.devices[0].passes[2].pass.discarded = media::DiscardReport{};
    CHECK_THAT(row(card_of(view), "Used?").at(0), !ContainsSubstring("the first write"));
    // Without a sign of use, the row is missing.
    CHECK(row(card_of(written({40, 20, 20.1, 19.9})), "Used?").empty());
}
