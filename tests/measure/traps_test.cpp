// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks each measurement trap on the card model with that fault and on all other models.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "host/measure/plausibility.hpp"
#include "host/workload/metrics/implausible.hpp"
#include "host/workload/metrics/inconsistent_passes.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/suites/payload_tables.hpp"
#include "tests/catch.hpp"
#include "tests/measure/trap_card.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using measure::Finding, measure::FindingKind, measure::Severity;
using workload::Access, workload::CellResult, workload::JobSpec;
using Kinds = std::set<std::string>;

namespace {

/// A sweep by block size, then the whole span written and read once.
JobSpec sweep_and_fill(Bytes volume) {
    workload::SweepJob sweep{.cells = {}, .span = 768_MiB};
    const auto add = [&](const char* table, Access access, Bytes block, Bytes amount) {
        sweep.cells.push_back({.id = fmt::format("{}.{}.{}", table, workload::name_of(access), block.count),
                               .table = table,
                               .access = access,
                               .block = block,
                               .volume = amount,
                               .time_limit = {}});
    };
    for (Bytes block = 4_KiB; block <= 1_MiB; block = block * 2)
        for (const Access access :
             {Access::sequential_write, Access::sequential_read, Access::random_write, Access::random_read})
            add("standard", access, block, std::max(volume, block * 2));
    for (const Access access : {Access::sequential_write, Access::sequential_read})
        add("fill", access, 2_MiB, volume < 1_MiB ? 4_MiB : sweep.span);
    return {.suite = "quickbench", .kind = sweep};
}

struct Seen {
    measure::Findings findings;
    [[nodiscard]] Kinds kinds() const {
        Kinds all;
        for (const Finding& finding : findings) all.emplace(measure::name_of(finding.kind));
        return all;
    }
    [[nodiscard]] const Finding* of(FindingKind kind) const {
        const auto found = std::ranges::find(findings, kind, &Finding::kind);
        return found == findings.end() ? nullptr : &*found;
    }
};

Seen seen_on(const TrapCardSpec& spec, std::size_t passes, std::uint64_t seed, Bytes volume = 24_MiB) {
    const JobSpec job = sweep_and_fill(volume);
    TrapCard card(spec, seed);
    std::vector<std::vector<CellResult>> all;
    Seen seen;
    for (std::size_t i = 0; i < passes; ++i) {
        all.push_back(card.pass(*job.as<workload::SweepJob>()));
        Kinds of_pass;
        for (const Finding& finding : metrics::implausible(job, all.back(), spec.links)) {
            CHECK(of_pass.emplace(measure::name_of(finding.kind)).second); // at most one finding of each kind per pass
            CHECK_FALSE(finding.cell.empty());
            seen.findings.push_back(finding);
        }
    }
    std::vector<metrics::PassCells> made;
    for (const auto& cells : all) made.push_back({job.suite, "under exFAT", &cells});
    for (Finding& finding : metrics::inconsistent_passes(made)) seen.findings.push_back(std::move(finding));
    return seen;
}

struct Model {
    const char* name;
    TrapCardSpec spec;
    Kinds fires;
    std::size_t passes{5};
    Bytes volume{24_MiB};
};

std::vector<Model> models() {
    return {
        {"a plain card", {}, {}},
        {"a plain card on a slow link", {.read_mb = 40, .write_mb = 20, .links = {measure::usb_link(480)}}, {}},
        {"faster than its link", {.links = {measure::usb_link(480)}}, {"impossible_rate"}},
        {"a plain card in a slot", {.links = {measure::sd_link("sd uhs SDR104", 208'000'000, 4)}}, {}},
        {"a plain card in a slot without a known link", {.links = {}}, {}},
        {"faster than its bus", {.links = {measure::sd_link("sd high-speed", 50'000'000, 4)}}, {"impossible_rate"}},
        {"faster than the bus of a reader on a faster link",
         {.links = {measure::usb_link(5000), measure::sd_link("sd uhs DDR50", 50'000'000, 4)}},
         {"impossible_rate"}},
        {"small writes answered by this host", {.host_cache_up_to = 8_KiB}, {"cache_suspected"}, 5, 48_MiB},
        {"a slow generator of payload", {.payload_part = 0.6}, {"processor_bound"}},
        {"a write cache that runs full", {.fast_cache = 400_MiB}, {"rate_unstable"}},
        {"becomes hot", {.hot_after = 400_MiB}, {"throttled"}},
        {"slower towards its end", {.inner_loss = 0.35}, {"position_dependent"}},
        // A pause also reduces the rate of its cell.
        {"pauses now and then", {.spike_every = 3001}, {"latency_spikes", "not_monotone"}},
        {"one block size is disturbed", {.odd_block = 65536}, {"not_monotone"}},
        {"measured once", {}, {"single_pass"}, 1},
        {"faster in its first pass", {.first_pass_gain = 0.5}, {"first_pass"}, 5, 48_MiB},
        {"slower with each pass", {.loss_of_each_pass = 0.08}, {"state_drift"}},
        {"moved almost no data", {}, {"too_short"}, 5, 256_KiB},
    };
}

} // namespace

TEST_CASE("each measurement trap is reported only on the card model with that fault") {
    for (const Model& model : models()) {
        CAPTURE(model.name);
        CHECK(seen_on(model.spec, model.passes, 7, model.volume).kinds() == model.fires);
    }
}

// Prints the traps that are reported on each card model, and tests nothing: `test_measure "[.matrix]"`.
TEST_CASE("matrix of reported measurement traps by card model", "[.matrix]") {
    Kinds all;
    for (const Model& model : models()) all.insert(model.fires.begin(), model.fires.end());
    for (const Model& model : models()) {
        const Kinds fired = seen_on(model.spec, model.passes, 7, model.volume).kinds();
        fmt::print("{:<52} {} of {} silent; fired: {}\n", model.name, all.size() - fired.size(), all.size(),
                   fired.empty() ? "none" : fmt::format("{}", fmt::join(fired, ", ")));
    }
}

TEST_CASE("a verify cell that is too short for a steady rate is reported") {
    CellResult cell;
    cell.cell = {.id = "verify.read", .table = "verify", .access = Access::sequential_read, .block = 1_MiB};
    cell.moved = 64_MiB;
    cell.operations = 64;
    cell.elapsed = std::chrono::milliseconds(54);
    const auto told = [&] {
        auto found = metrics::implausible({.suite = "verify", .kind = workload::VerifyJob{}}, {cell}, {});
        std::erase_if(found, [](const auto& each) { return each.kind != FindingKind::too_short; });
        return found;
    };
    REQUIRE(told().size() == 1);
    CHECK(told()[0].severity == Severity::note);
    CHECK(told()[0].detail ==
          "sequential read 1024 KB: took 54.0 ms, less than the 250 ms that a card may pause for one write, and its "
          "rate is that of caches on the way");
    cell.elapsed = std::chrono::seconds(1);
    CHECK(told().empty());
}

TEST_CASE(
    "the warning about a timed-out cell with few operations takes precedence over that about a cell that is too "
    "short") {
    const auto cell = [](const char* id, std::uint64_t operations, workload::CellEnd end) {
        CellResult result;
        result.cell = {.id = id, .table = "standard", .access = Access::random_write, .block = 4_KiB, .volume = 64_KiB};
        result.moved = 4_KiB * operations;
        result.operations = operations;
        result.elapsed = std::chrono::milliseconds(490);
        result.end = end;
        return result;
    };
    const auto told = [&](const std::vector<CellResult>& cells) {
        return metrics::implausible({.suite = "quickbench", .kind = workload::SweepJob{}}, cells, {});
    };
    auto brief = cell("brief", 100, workload::CellEnd::volume);
    brief.elapsed = std::chrono::milliseconds(3);
    auto found = told({brief, cell("few", 1, workload::CellEnd::time), cell("more", 7, workload::CellEnd::time)});
    // A single pass is also too little for a comparison.
    std::erase_if(found, [](const auto& each) { return each.kind != FindingKind::too_short; });
    REQUIRE(found.size() == 1);
    CHECK(found[0].cell == "few");
    CHECK(found[0].kind == FindingKind::too_short);
    CHECK(found[0].severity == Severity::warning);
    CHECK(found[0].count == 2);
    CHECK_THAT(
        found[0].detail,
        ContainsSubstring("random write 4 KB: its time limit ended it after 1 operation in 490 ms, so one pause"));
    // The cell moved the requested amount, or a sufficient part.
    CHECK(told({cell("whole", 1, workload::CellEnd::volume)}).empty());
    CHECK(told({cell("enough", 8, workload::CellEnd::time)}).empty());
}

namespace {

CellResult cell_at(const char* table, Access access, Bytes block, double megabytes, std::chrono::milliseconds elapsed) {
    CellResult cell;
    cell.cell = {.id = std::string(table) + std::to_string(block.count),
                 .table = table,
                 .access = access,
                 .block = block,
                 .queue_depth = 1};
    cell.elapsed = elapsed;
    cell.moved = Bytes{static_cast<std::uint64_t>(megabytes * 1e3 * static_cast<double>(elapsed.count()))};
    cell.operations = cell.moved / block;
    return cell;
}

std::size_t count_of(const measure::Findings& found, FindingKind kind) {
    return static_cast<std::size_t>(std::ranges::count_if(found, [&](const auto& each) { return each.kind == kind; }));
}

} // namespace

TEST_CASE("a rate that falls over rounds, blogs or files is not attributed to heat") {
    CellResult cell = cell_at("any", Access::random_read, 64_KiB, 100, std::chrono::seconds(10));
    for (int i = 0; i < 10; ++i)
        cell.series.push_back({std::chrono::seconds(1), Bytes{i < 5 ? 150'000'000u : 50'000'000u}, 1000, {}});
    const auto told = [&](workload::JobKind kind) {
        const auto found = metrics::implausible({.suite = "any", .kind = std::move(kind)}, {cell}, {});
        return count_of(found, FindingKind::throttled) + count_of(found, FindingKind::rate_unstable);
    };
    CHECK(told(workload::MixJob{}) == 1);
    workload::MixJob rounds;
    rounds.rounds = workload::Rounds{.window = 5, .most = 25, .precondition = {}};
    CHECK(told(rounds) == 0);
    CHECK(told(workload::BlogJob{}) == 0);
    CHECK(told(workload::FilesJob{}) == 0);
}

TEST_CASE("block sizes are compared only by cells that last longer than one pause of the medium") {
    const auto told = [&](std::chrono::milliseconds of_odd) {
        return count_of(
            metrics::implausible({.suite = "quickbench", .kind = workload::SweepJob{}},
                                 {cell_at("standard", Access::random_read, 4_KiB, 10, std::chrono::seconds(1)),
                                  cell_at("standard", Access::random_read, 8_KiB, 3, of_odd),
                                  cell_at("standard", Access::random_read, 16_KiB, 30, std::chrono::seconds(1))},
                                 {}),
            FindingKind::not_monotone);
    };
    CHECK(told(std::chrono::milliseconds(250)) == 1);
    CHECK(told(std::chrono::milliseconds(249)) == 0);
}

TEST_CASE("at most two of a hundred runs of five passes on a faultless card report a trap") {
    int alarms = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) alarms += seen_on({}, 5, seed).findings.empty() ? 0 : 1;
    CHECK(alarms <= 2);
}

TEST_CASE("the finding of each trap contains the worst cell, the size of the effect and the number of cells") {
    const auto detail = [](const TrapCardSpec& spec, FindingKind kind, std::size_t passes = 5) {
        const Seen seen = seen_on(spec, passes, 7);
        REQUIRE(seen.of(kind));
        return seen.of(kind)->detail;
    };
    CHECK_THAT(detail({.links = {measure::usb_link(480)}}, FindingKind::impossible_rate),
               ContainsSubstring("over a USB link of 480 Mbit/s, which carries 53.2 MB/s at most") &&
                   ContainsSubstring("cells, strongest in this one"));
    CHECK_THAT(
        detail({.links = {measure::sd_link("sd high-speed", 50'000'000, 4)}}, FindingKind::impossible_rate),
        ContainsSubstring("over an SD bus of 4 lines at 50 MHz (sd high-speed), which carries 25.0 MB/s at most"));
    CHECK_THAT(detail({.host_cache_up_to = 8_KiB}, FindingKind::cache_suspected),
               ContainsSubstring("4 KB transfers (") && ContainsSubstring("in 2 of "));
    CHECK_THAT(detail({.payload_part = 0.6}, FindingKind::processor_bound),
               ContainsSubstring("generating the payload took ") && ContainsSubstring("in 19 of 38 cells"));
    CHECK_THAT(detail({.fast_cache = 400_MiB}, FindingKind::rate_unstable),
               ContainsSubstring("sequential write 2 MB: the rate fell from ") &&
                   ContainsSubstring("probably a full write cache"));
    CHECK_THAT(detail({.hot_after = 400_MiB}, FindingKind::throttled),
               ContainsSubstring("becomes hot") && ContainsSubstring("in 2 of "));
    CHECK_THAT(detail({.inner_loss = 0.35}, FindingKind::position_dependent),
               ContainsSubstring("the rate fell steadily from ") && ContainsSubstring("over its positions"));
    CHECK_THAT(detail({.spike_every = 3001}, FindingKind::latency_spikes), ContainsSubstring("one operation took 6"));
    CHECK_THAT(detail({}, FindingKind::single_pass, 1), ContainsSubstring("QuickBench under exFAT was measured once"));
    CHECK_THAT(detail({.first_pass_gain = 0.5}, FindingKind::first_pass),
               ContainsSubstring("the first of 5 passes is 5") && ContainsSubstring(" % faster than the others"));
    CHECK_THAT(detail({.loss_of_each_pass = 0.08}, FindingKind::state_drift),
               ContainsSubstring("slower one after the other, by 2") && ContainsSubstring("(p 0.017)"));
}

TEST_CASE("a busy host that disturbs many cells gives one finding that rejects the pass") {
    const Seen seen = seen_on({.busy_percent = 30}, 2, 7);
    REQUIRE(seen.of(FindingKind::not_monotone));
    CHECK(seen.of(FindingKind::not_monotone)->count > 3);
    CHECK_THAT(seen.of(FindingKind::not_monotone)->detail, ContainsSubstring("repeat it in full on an idle host"));
}

namespace {

/// A load that is far beyond that of an idle host.
workload::HostLoad busy_load() {
    using namespace std::chrono_literals;
    return {.over = 10s,
            .processor_waits = 4s,
            .memory_waits = 0s,
            .io_waits = 9s,
            .stolen = 0s,
            .involuntary_switches = 2500};
}

CellResult with_series(Access access, const std::vector<double>& megabytes, Bytes block = 1_MiB) {
    CellResult cell = cell_at("fill", access, block, 1, std::chrono::seconds(megabytes.size()));
    cell.cell.id += workload::name_of(access);
    cell.moved = {};
    for (const double each : megabytes) {
        cell.series.push_back({std::chrono::seconds(1), Bytes{static_cast<std::uint64_t>(each * 1e6)}, 10, {}});
        cell.moved += cell.series.back().moved;
    }
    cell.operations = cell.moved / block;
    return cell;
}

const Finding* first_of(const measure::Findings& found, FindingKind kind) {
    const auto at = std::ranges::find(found, kind, &Finding::kind);
    return at == found.end() ? nullptr : &*at;
}

JobSpec job_over(Bytes span) {
    return {.suite = "quickbench", .kind = workload::SweepJob{.cells = {}, .span = span}};
}

CellResult with_latencies(std::chrono::milliseconds usual, std::chrono::milliseconds longest) {
    CellResult cell = cell_at("fill", Access::sequential_write, 1_MiB, 8, std::chrono::seconds(20));
    measure::HistogramRecorder latencies;
    for (int i = 0; i < 99; ++i) latencies.record(static_cast<std::uint64_t>(usual.count()) * 1'000'000);
    latencies.record(static_cast<std::uint64_t>(longest.count()) * 1'000'000);
    cell.latency = latencies.histogram();
    return cell;
}

} // namespace

TEST_CASE("a busy host is the first finding, and the other findings name it as their probable cause") {
    std::vector<CellResult> cells{cell_at("standard", Access::random_read, 4_KiB, 10, std::chrono::seconds(1)),
                                  cell_at("standard", Access::random_read, 8_KiB, 3, std::chrono::seconds(1)),
                                  cell_at("standard", Access::random_read, 16_KiB, 30, std::chrono::seconds(1))};
    cells[1].host_load = busy_load();
    const auto found = metrics::implausible(job_over(1_GiB), cells, {});
    REQUIRE(found.size() >= 2);
    CHECK(found[0].kind == FindingKind::host_busy);
    CHECK(found[0].severity == Severity::warning);
    CHECK_THAT(
        found[0].detail,
        ContainsSubstring("the host was busy: processes waited for a processor for 40 % of the time, the test had "
                          "to leave its processor 250 times per second"));
    REQUIRE(first_of(found, FindingKind::not_monotone));
    CHECK_THAT(first_of(found, FindingKind::not_monotone)->detail, ContainsSubstring("; probably the busy host ("));
}

TEST_CASE("on a busy host each rule about the medium needs more evidence, and its finding names the busy host first") {
    using namespace std::chrono_literals;
    using Cells = std::vector<CellResult>;
    struct Row {
        FindingKind kind;
        Cells weak, strong; ///< weak: a finding on an idle host only
    };
    const auto falling = [](double last) {
        std::vector<double> rates;
        for (int i = 0; i < 10; ++i) rates.push_back(100 + (last - 100) * i / 9);
        return rates;
    };
    const auto both_ways = [&](double last) {
        return Cells{with_series(Access::sequential_read, falling(last)),
                     with_series(Access::sequential_write, falling(last))};
    };
    const auto level = [](double last) {
        return Cells{with_series(Access::sequential_write, {100, 100, 100, 100, 100, last, last, last, last, last})};
    };
    const auto sweep = [](double middle) {
        return Cells{cell_at("standard", Access::random_read, 4_KiB, 10, 1s),
                     cell_at("standard", Access::random_read, 8_KiB, middle, 1s),
                     cell_at("standard", Access::random_read, 16_KiB, 30, 1s)};
    };
    const auto cached = [](double small) {
        return Cells{cell_at("standard", Access::sequential_write, 4_KiB, small, 1s),
                     cell_at("standard", Access::sequential_write, 256_KiB, 10, 1s)};
    };
    const Row rows[] = {
        {FindingKind::not_monotone, sweep(8), sweep(3)},
        {FindingKind::cache_suspected, cached(30), cached(50)},
        {FindingKind::rate_unstable, level(60), level(20)},
        {FindingKind::throttled, {with_series(Access::random_read, falling(60))},
         {with_series(Access::random_read, falling(20))}},
        {FindingKind::position_dependent, both_ways(60), both_ways(20)},
        {FindingKind::latency_spikes, {with_latencies(20ms, 600ms)}, {with_latencies(20ms, 1500ms)}},
    };
    const auto seen = [](Cells cells, FindingKind kind, bool busy) {
        if (busy)
            for (CellResult& cell : cells) cell.host_load = busy_load();
        const auto found = metrics::implausible(job_over(100_GiB), cells, {});
        const Finding* finding = first_of(found, kind);
        return finding == nullptr ? std::string() : finding->detail;
    };
    for (const Row& row : rows) {
        CAPTURE(measure::name_of(row.kind));
        CHECK_FALSE(seen(row.weak, row.kind, false).empty());
        CHECK_THAT(seen(row.weak, row.kind, false), !ContainsSubstring("busy host"));
        CHECK(seen(row.weak, row.kind, true).empty());
        CHECK_THAT(seen(row.strong, row.kind, true), ContainsSubstring("probably the busy host ("));
    }
}

TEST_CASE("on a busy host passes are compared with more tolerance, and the finding names the busy host first") {
    using workload::PayloadKind;
    const JobSpec job = sweep_and_fill(24_MiB);
    struct Row {
        FindingKind kind;
        TrapCardSpec weak, strong;
        std::vector<PayloadKind> payloads;
    };
    const std::vector<PayloadKind> same(5, PayloadKind::incompressible);
    const Row rows[] = {
        {FindingKind::first_pass, {.first_pass_gain = 0.2}, {.first_pass_gain = 1}, same},
        {FindingKind::state_drift, {.loss_of_each_pass = 0.05}, {.loss_of_each_pass = 0.12}, same},
        {FindingKind::compressible_data,
         {.zeros_gain = 0.2},
         {.zeros_gain = 1},
         {PayloadKind::zeros, PayloadKind::incompressible, PayloadKind::zeros, PayloadKind::incompressible}},
    };
    const auto seen = [&](const TrapCardSpec& spec, const Row& row, std::size_t busy_passes) {
        TrapCard card(spec, 7);
        std::vector<std::vector<CellResult>> all;
        for (const PayloadKind payload : row.payloads) {
            all.push_back(card.pass(*job.as<workload::SweepJob>(), payload));
            if (all.size() <= busy_passes)
                for (CellResult& cell : all.back()) cell.host_load = busy_load();
        }
        std::vector<metrics::PassCells> made;
        for (std::size_t i = 0; i < all.size(); ++i)
            made.push_back({job.suite, "under exFAT", &all[i], row.payloads[i]});
        const auto found = metrics::inconsistent_passes(made);
        const Finding* finding = first_of(found, row.kind);
        return finding == nullptr ? std::string() : finding->detail;
    };
    for (const Row& row : rows) {
        CAPTURE(measure::name_of(row.kind));
        CHECK_FALSE(seen(row.weak, row, 0).empty());
        CHECK_THAT(seen(row.weak, row, 0), !ContainsSubstring("busy host"));
        CHECK(seen(row.weak, row, 1).empty());
        CHECK_THAT(seen(row.strong, row, 1), ContainsSubstring("; probably the busy host ("));
    }
}

TEST_CASE("the wait of a verify pass for its checking thread is reported as such") {
    using namespace std::chrono_literals;
    const auto told = [](Access access, std::chrono::milliseconds waited, bool busy, workload::JobKind kind) {
        CellResult cell = cell_at("verify", access, 1_MiB, 40, 10s);
        cell.prepare_time = waited;
        if (busy) cell.host_load = busy_load();
        const auto found = metrics::implausible({.suite = "verify", .kind = std::move(kind)}, {cell}, {});
        const Finding* finding = first_of(found, FindingKind::processor_bound);
        return finding == nullptr ? std::string() : finding->detail;
    };
    const workload::VerifyJob verify;
    CHECK(told(Access::sequential_read, 4s, false, verify) ==
          "sequential read 1024 KB: waiting for the check of the data took 4000 ms beside 10000 ms of reading, and the "
          "medium was idle during that time; repeat it on a faster processor");
    CHECK_THAT(told(Access::sequential_read, 4s, true, verify), ContainsSubstring("; probably the busy host ("));
    CHECK_THAT(told(Access::sequential_write, 4s, true, verify), ContainsSubstring("generating the payload took") &&
                                                                     ContainsSubstring("; probably the busy host ("));
    CHECK(told(Access::sequential_read, 3s, false, verify).empty());
    CHECK(told(Access::sequential_read, 4s, false, workload::SweepJob{}).empty());
}

TEST_CASE("each sign of a busy host is reported, but an idle host and the test's own I/O are not") {
    const auto told = [](const workload::HostLoad& load) {
        CellResult cell = cell_at("standard", Access::random_read, 4_KiB, 10, std::chrono::seconds(1));
        cell.host_load = load;
        const auto found = metrics::implausible(job_over(1_GiB), {cell}, {});
        const Finding* busy = first_of(found, FindingKind::host_busy);
        if (busy != nullptr) CHECK(busy->severity == Severity::note); // no other rule fired
        return busy == nullptr ? "" : busy->detail;
    };
    using namespace std::chrono_literals;
    CHECK(told({.over = 10s}) == "");
    CHECK(told({.over = 10s,
                .processor_waits = 100ms,
                .memory_waits = 50ms,
                .io_waits = 9900ms,
                .stolen = 100ms,
                .involuntary_switches = 40}) == "");
    CHECK_THAT(told({.over = 10s, .processor_waits = 1100ms}), ContainsSubstring("waited for a processor for 11 %"));
    CHECK_THAT(told({.over = 10s, .memory_waits = 2s}), ContainsSubstring("waited for memory for 20 %"));
    CHECK_THAT(told({.over = 10s, .stolen = 600ms}), ContainsSubstring("the hypervisor ran other guests for 6 %"));
    CHECK_THAT(told({.over = 10s, .involuntary_switches = 1100}), ContainsSubstring("110 times per second"));
    CHECK(told({.over = 28ms, .involuntary_switches = 10}) == "");
    CHECK_THAT(told({.over = 28ms, .involuntary_switches = 11}), ContainsSubstring("393 times per second"));
}

TEST_CASE("on a busy host only large changes are attributed to the medium") {
    const auto told = [](const std::vector<double>& megabytes, bool busy) {
        CellResult cell = with_series(Access::random_read, megabytes);
        if (busy) cell.host_load = busy_load();
        auto found = metrics::implausible(job_over(100_GiB), {cell}, {});
        std::erase_if(found, [](const Finding& each) {
            return each.kind != FindingKind::throttled && each.kind != FindingKind::rate_unstable;
        });
        return found;
    };
    const std::vector<double> fell{100, 100, 100, 100, 100, 60, 60, 60, 60, 60};
    const std::vector<double> collapsed{100, 100, 100, 100, 100, 20, 20, 20, 20, 20};
    CHECK(told(fell, false).size() == 1);
    CHECK(told(fell, true).empty());
    REQUIRE(told(collapsed, true).size() == 1);
    CHECK(told(collapsed, true)[0].kind == FindingKind::rate_unstable); // not heat
    CHECK_THAT(told(collapsed, true)[0].detail, ContainsSubstring("probably the busy host ("));
    CHECK(told(collapsed, false)[0].kind == FindingKind::throttled);
}

TEST_CASE(
    "a slope over positions is not attributed to heat if transfers in the other direction show a weak slope as well") {
    const std::vector<double> reads{148, 145, 143, 140, 136, 133, 128, 124, 120, 116};
    const std::vector<double> scattered{108, 92, 104, 90, 102, 84, 100, 82, 95, 83}; // R squared 0.35
    const std::vector<double> level{100, 92, 101, 93, 99, 92, 101, 92, 100, 93};
    const auto told = [](const std::vector<CellResult>& cells) {
        const auto found = metrics::implausible(job_over(100_GiB), cells, {});
        return first_of(found, FindingKind::position_dependent) != nullptr ? "position"
               : first_of(found, FindingKind::throttled) != nullptr        ? "heat"
               : first_of(found, FindingKind::rate_unstable) != nullptr    ? "unknown"
                                                                           : "nothing";
    };
    CHECK(told({with_series(Access::sequential_read, reads), with_series(Access::sequential_write, scattered)}) ==
          std::string("position"));
    CHECK(told({with_series(Access::sequential_read, reads), with_series(Access::sequential_write, level)}) ==
          std::string("heat"));
    // Only one direction was measured: time and position cannot be separated.
    CHECK(told({with_series(Access::sequential_read, reads)}) == std::string("unknown"));
    CHECK(told({with_series(Access::random_read, reads)}) == std::string("heat"));
}

TEST_CASE("a stall is reported by its length on a slow medium and by its factor on a fast one") {
    using namespace std::chrono_literals;
    const auto told = [](std::chrono::milliseconds usual, std::chrono::milliseconds longest, bool busy = false) {
        CellResult cell = with_latencies(usual, longest);
        if (busy) cell.host_load = busy_load();
        return first_of(metrics::implausible(job_over(1_GiB), {cell}, {}), FindingKind::latency_spikes) != nullptr;
    };
    CHECK(told(131ms, 1200ms)); // 1 MiB at 8 MB/s
    CHECK(told(500ms, 1100ms));
    CHECK(told(20ms, 300ms));
    CHECK_FALSE(told(20ms, 240ms)); // a normal busy time
    CHECK_FALSE(told(131ms, 500ms));
    CHECK_FALSE(told(1000ms, 1600ms)); // a slow medium that scatters
    CHECK_FALSE(told(20ms, 600ms, true));
    CHECK(told(20ms, 1500ms, true));
}

TEST_CASE("a compressing card, and no other card, is found by comparison of passes with zeros and with other data") {
    using workload::PayloadKind;
    const JobSpec job = sweep_and_fill(4_MiB);
    const auto found = [&](double gain, std::uint64_t seed, std::vector<PayloadKind> payloads) {
        TrapCard card({.zeros_gain = gain}, seed);
        std::vector<std::vector<CellResult>> all;
        for (const PayloadKind payload : payloads) all.push_back(card.pass(*job.as<workload::SweepJob>(), payload));
        std::vector<metrics::PassCells> made;
        for (std::size_t i = 0; i < all.size(); ++i) made.push_back({job.suite, "under exFAT", &all[i], payloads[i]});
        std::string detail;
        for (const Finding& finding : metrics::inconsistent_passes(made))
            if (finding.kind == FindingKind::compressible_data) detail = finding.detail;
        return detail;
    };
    const std::vector<PayloadKind> both{PayloadKind::zeros, PayloadKind::incompressible, PayloadKind::zeros,
                                        PayloadKind::incompressible};
    CHECK_THAT(found(0.5, 7, both),
               ContainsSubstring("QuickBench under exFAT: zeros are written 5") &&
                   ContainsSubstring(" % faster than data that cannot be compressed; the medium or the file system"));
    CHECK_FALSE(found(0.5, 7, {PayloadKind::zeros, PayloadKind::incompressible}).empty());
    CHECK(found(0.05, 7, both).empty());
    CHECK(found(0.5, 7, {PayloadKind::zeros, PayloadKind::zeros}).empty());
    CHECK(found(0.5, 7, {PayloadKind::incompressible, PayloadKind::incompressible}).empty());
    int alarms = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) alarms += found(0, seed, both).empty() ? 0 : 1;
    CHECK(alarms == 0);
}

TEST_CASE("passes with different payloads are not compared as repeats") {
    const JobSpec job = sweep_and_fill(4_MiB);
    TrapCard card({}, 7);
    const std::vector<CellResult> one = card.pass(*job.as<workload::SweepJob>());
    const auto found =
        metrics::inconsistent_passes({{job.suite, "under exFAT", &one, workload::PayloadKind::zeros},
                                      {job.suite, "under exFAT", &one, workload::PayloadKind::incompressible}});
    REQUIRE(found.size() == 1);
    CHECK(found.front().kind == FindingKind::single_pass);
    CHECK(found.front().count == 2);
}

TEST_CASE("passes are compared only by their common cells and within one format") {
    const JobSpec job = sweep_and_fill(24_MiB);
    TrapCard card({.first_pass_gain = 0.5}, 3);
    std::vector<std::vector<CellResult>> all;
    for (int i = 0; i < 3; ++i) all.push_back(card.pass(*job.as<workload::SweepJob>()));
    all[1].resize(10); // interrupted
    const auto found = [&](const char* of_second) {
        return metrics::inconsistent_passes({{job.suite, "under exFAT", all.data()},
                                             {job.suite, of_second, &all[1]},
                                             {job.suite, "under exFAT", &all[2]}});
    };
    REQUIRE(found("under exFAT").size() == 1);
    CHECK(found("under exFAT").front().kind == FindingKind::first_pass);
    const auto apart = found("under APFS");
    REQUIRE(apart.size() == 1);
    CHECK(apart.front().kind == FindingKind::single_pass);
    all[1].clear();
    CHECK(found("under exFAT").empty()); // two passes contain no information about the order
    CHECK(metrics::inconsistent_passes({}).empty());
}

TEST_CASE("the payload rates of USB links agree with the specification") {
    CHECK_FALSE(measure::ceiling_of_usb(0));
    CHECK(measure::ceiling_of_usb(12)->megabytes_per_second() == Approx(1.216));
    CHECK(measure::ceiling_of_usb(480)->megabytes_per_second() == Approx(53.248));
    CHECK(measure::ceiling_of_usb(5000)->megabytes_per_second() == Approx(500));
    CHECK(measure::ceiling_of_usb(10000)->megabytes_per_second() == Approx(1212.12));
}

TEST_CASE("requests faster than USB permits are reported unless the page cache may serve them") {
    const std::vector<measure::BusLink> link{measure::usb_link(480)};
    const auto told = [&](Access access, workload::CachePolicy policy, Bytes moved = 100_B) {
        measure::HistogramRecorder latencies;
        for (int i = 0; i < 100; ++i) latencies.record(3'000);
        CellResult cell;
        cell.cell = {.id = "one",
                     .table = "t",
                     .access = access,
                     .block = 1_B,
                     .volume = 100_B,
                     .time_limit = {},
                     .queue_depth = 1};
        cell.moved = moved;
        cell.operations = 100;
        cell.elapsed = std::chrono::seconds(1);
        cell.latency = latencies.histogram();
        cell.evidence.used = policy;
        return !metrics::implausible({.suite = "bonnie", .kind = workload::FilesJob{}}, {cell}, link).empty();
    };
    using workload::CachePolicy;
    CHECK(told(Access::sequential_write, CachePolicy::direct));
    CHECK(told(Access::sequential_read, CachePolicy::direct));
    CHECK(told(Access::random_read, CachePolicy::dropped));
    CHECK_FALSE(told(Access::sequential_write, CachePolicy::dropped));
    CHECK_FALSE(told(Access::random_write, CachePolicy::cached));
    CHECK_FALSE(told(Access::sequential_read, CachePolicy::dropped));
    CHECK_FALSE(told(Access::random_read, CachePolicy::cached));
    CHECK_FALSE(told(Access::random_read, CachePolicy::dropped, 0_B)); // an operation on names
}

TEST_CASE("an SD bus transfers one bit per line and clock, and two bits in DDR50") {
    const auto ceiling = [](const char* timing, std::uint64_t clock_hz, std::uint32_t lines = 4) {
        const auto rate = measure::ceiling_of_sd(timing, clock_hz, lines);
        return rate ? rate->megabytes_per_second() : 0;
    };
    CHECK(ceiling("sd uhs SDR104", 208'000'000) == 104);
    CHECK(ceiling("sd uhs SDR50", 100'000'000) == 50);
    CHECK(ceiling("sd uhs DDR50", 50'000'000) == 50);
    CHECK(ceiling("sd uhs SDR25", 50'000'000) == 25);
    CHECK(ceiling("sd high-speed", 50'000'000) == 25);
    CHECK(ceiling("sd uhs SDR12", 25'000'000) == 12.5);
    CHECK(ceiling("legacy", 25'000'000) == 12.5);
    CHECK(ceiling("legacy", 25'000'000, 1) == 3.125);
    // A host at rest has no clock, and UHS-II has no lines in parallel.
    CHECK(ceiling("sd uhs SDR104", 0) == 0);
    CHECK(ceiling("sd uhs SDR104", 208'000'000, 0) == 0);
    CHECK(ceiling("invalid", 52'000'000) == 0);
}

TEST_CASE("payload generation during io_uring transfers is compared with the write time") {
    const auto found_with = [](double part) {
        const TrapCardSpec spec{.payload_part = part};
        JobSpec job = sweep_and_fill(24_MiB);
        job.engine = workload::Engine::uring;
        TrapCard card(spec, 7);
        std::string detail;
        for (const Finding& finding : metrics::implausible(job, card.pass(*job.as<workload::SweepJob>()), spec.links))
            if (finding.kind == FindingKind::processor_bound) detail = finding.detail;
        return detail;
    };
    CHECK_THAT(found_with(0.6),
               ContainsSubstring(" ms of writing, and the medium may have been idle during that time") &&
                   ContainsSubstring("in 19 of 38 cells"));
    CHECK(found_with(0.3).empty());
}

TEST_CASE("idle time between paced requests does not count as payload generation") {
    const TrapCardSpec slow_payload{.payload_part = 0.6};
    JobSpec job = sweep_and_fill(24_MiB);
    TrapCard card(slow_payload, 7);
    const std::vector<CellResult> cells = card.pass(*job.as<workload::SweepJob>());
    std::get<workload::SweepJob>(job.kind).pace = workload::Pace{.interval = std::chrono::seconds(1)};
    for (const Finding& finding : metrics::implausible(job, cells, slow_payload.links))
        CHECK(finding.kind != FindingKind::processor_bound);
}

namespace {

/// A pass of suite payloads: `of_zeros` is the rate of zeros in MB/s, all other data have 30 MB/s.
measure::Findings payload_findings(double of_zeros, double scatter) {
    JobSpec job{.suite = "payloads", .kind = workload::SweepJob{.cells = {}, .span = 64_MiB}};
    std::vector<CellResult> cells;
    for (int round = 0; round < 4; ++round)
        for (const auto& data : suites::payload_tables) {
            CellResult cell;
            cell.cell = {.id = fmt::format("{}.seq_write.1048576.{}", data.table, round),
                         .table = std::string(data.table),
                         .access = Access::sequential_write,
                         .block = 1_MiB,
                         .volume = 64_MiB,
                         .time_limit = {},
                         .payload = data.kind};
            cell.moved = 64_MiB;
            cell.operations = 64;
            const double rate = (data.table == "zeros" ? of_zeros : 30) * (1 + scatter * (round % 2));
            cell.elapsed = std::chrono::nanoseconds(static_cast<std::int64_t>(64 * 1048576 / rate * 1e3));
            cells.push_back(std::move(cell));
        }
    measure::Findings found = metrics::implausible(job, cells, {});
    std::erase_if(found, [](const Finding& each) { return each.kind != FindingKind::data_dependent; });
    return found;
}

} // namespace

TEST_CASE("data that are faster than noise give one finding with their name and ratio") {
    const auto found = payload_findings(60, 0.02);
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::note);
    CHECK_THAT(found[0].detail,
               ContainsSubstring("zeros are 2.00 times as fast as noise (4 rates each, which differ by 2 % at most)"));
    CHECK(payload_findings(15, 0.02).size() == 1);
}

TEST_CASE("data give no finding if they have the rate of noise, or if the rates scatter") {
    CHECK(payload_findings(30, 0.02).empty());
    CHECK(payload_findings(32, 0.01).empty());
    CHECK(payload_findings(45, 0.4).empty());
}
