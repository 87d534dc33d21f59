// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/suites/suite.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using mediarig::suites::SuiteRequest, mediarig::suites::expand, mediarig::suites::suite_names;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

namespace {

SuiteRequest suite(std::string name) {
    SuiteRequest request;
    request.name = std::move(name);
    return request;
}

/// The section of a Markdown page whose heading lists `name` ("## dd, dd-direct"), or an empty text.
std::string section(const std::string& page, std::string_view name) {
    const std::string wanted = ", " + std::string(name) + ",";
    std::istringstream lines(page);
    std::string text;
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("## ")) inside = (", " + line.substr(3) + ",").find(wanted) != std::string::npos;
        if (inside) text += line + "\n";
    }
    return text;
}

/// The last column of the table row that lists `name` in its first column, empty if there is no such row.
std::string quick_column(const std::string& page, std::string_view name) {
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("| `") || !line.ends_with(" |")) continue;
        if (line.substr(0, line.find('|', 1)).find("`" + std::string(name) + "`") == std::string::npos) continue;
        const std::size_t begin = line.rfind('|', line.size() - 2) + 2, end = line.size() - 2;
        return begin < end ? line.substr(begin, end - begin) : std::string();
    }
    return {};
}

std::vector<std::uint64_t> blocks_of(const JobSpec& job, std::string_view table) {
    std::set<std::uint64_t> blocks;
    for (const CellSpec& cell : job.as<SweepJob>()->cells)
        if (cell.table == table) blocks.insert(cell.block.count);
    return {blocks.begin(), blocks.end()};
}

std::vector<std::string> ids_of(const JobSpec& job) {
    std::vector<std::string> ids;
    for (const CellSpec& cell : job.as<SweepJob>()->cells) ids.push_back(cell.id);
    return ids;
}

/// Maximum duration of a sweep on a medium of `rate` bytes per second, without caches and syncs.
nanoseconds longest(const JobSpec& job, double rate) {
    const auto at_rate = [&](Bytes amount) {
        return nanoseconds(static_cast<std::int64_t>(static_cast<double>(amount.count) * 1e9 / rate));
    };
    nanoseconds total = at_rate(job.as<SweepJob>()->span);
    for (const CellSpec& cell : job.as<SweepJob>()->cells) {
        const nanoseconds volume = at_rate(cell.volume);
        // Random access may have any rate: the time limit ends the cell.
        total += random(cell.access) ? cell.time_limit.value_or(seconds(3600))
                                     : std::min(volume, cell.time_limit.value_or(volume));
    }
    return total;
}

} // namespace

TEST_CASE("quickbench standard: measures nine sizes with four accesses, and writes before it reads each size") {
    const auto job = expand(suite("quickbench"), 32_GiB);
    REQUIRE(job);
    CHECK(job->suite == "quickbench");
    REQUIRE(job->as<SweepJob>()->cells.size() == 36);
    CHECK(blocks_of(*job, "standard") ==
          std::vector<std::uint64_t>{4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576});
    const auto ids = ids_of(*job);
    CHECK(std::vector<std::string>(ids.begin(), ids.begin() + 5) ==
          std::vector<std::string>{"standard.seq_write.4096", "standard.seq_read.4096", "standard.random_write.4096",
                                   "standard.random_read.4096", "standard.seq_write.8192"});
    CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == 36);
    CHECK(job->as<SweepJob>()->span == 1_GiB);
    CHECK(job->cache == CachePolicy::direct);
    CHECK(job->sync == SyncLevel::at_end);
    CHECK(job->payload.kind == PayloadKind::incompressible);
}

TEST_CASE("quickbench large and extended: measure nine sizes each, with sequential accesses only") {
    auto request = suite("quickbench");
    request.tables = {"extended", "large"};
    const auto job = expand(request, 64_GiB);
    REQUIRE(job);
    CHECK(job->as<SweepJob>()->cells.size() == 36);
    CHECK(job->as<SweepJob>()->cells.front().id == "large.seq_write.2097152");
    std::vector<std::uint64_t> large, extended;
    for (std::uint64_t i = 2; i <= 10; ++i) large.push_back(i << 20);
    for (std::uint64_t i = 20; i <= 100; i += 10) extended.push_back(i << 20);
    CHECK(blocks_of(*job, "large") == large);
    CHECK(blocks_of(*job, "extended") == extended);
    for (const CellSpec& cell : job->as<SweepJob>()->cells) {
        CHECK_FALSE(random(cell.access));
        CHECK(cell.volume % cell.block == 0_B);
        CHECK(cell.volume >= cell.block * 2);
        CHECK(cell.block <= job->as<SweepJob>()->span);
    }
}

TEST_CASE("disktester: transfers 2 GiB in blocks of 256 KiB and 1 MiB, then 32 768 blocks of 8 KiB") {
    const auto job = expand(suite("disktester"), 32_GiB);
    REQUIRE(job);
    CHECK(ids_of(*job) == std::vector<std::string>{"sequential.seq_write.262144", "sequential.seq_read.262144",
                                                   "sequential.seq_write.1048576", "sequential.seq_read.1048576",
                                                   "iops.random_write.8192", "iops.random_read.8192"});
    CHECK(job->as<SweepJob>()->span == 2_GiB);
    for (const CellSpec& cell : job->as<SweepJob>()->cells) {
        CHECK_FALSE(cell.time_limit);
        if (cell.table == "iops") CHECK(cell.volume / cell.block == 32'768);
        if (cell.table == "sequential") CHECK(cell.volume == 2_GiB);
    }
}

TEST_CASE("the quick run of each sweep is short even on a card of 20 MB/s") {
    auto quickbench = suite("quickbench");
    auto disktester = suite("disktester");
    quickbench.quick = disktester.quick = true;
    const auto a = expand(quickbench, 32_GiB);
    const auto b = expand(disktester, 32_GiB);
    REQUIRE(a);
    REQUIRE(b);
    CHECK(longest(*a, 20e6) + longest(*b, 20e6) < seconds(20));
    CHECK(a->as<SweepJob>()->cells.size() == 36);
    CHECK(b->as<SweepJob>()->cells.size() == 6);
}

TEST_CASE("a quick cell has a least number of operations and a least time, unless the request bounds it") {
    for (const auto* known : mediarig::suites::all_suites()) {
        CAPTURE(known->name);
        auto request = suite(std::string(known->name));
        request.quick = true;
        const auto job = expand(request, 32_GiB);
        REQUIRE(job);
        std::vector<CellSpec> cells;
        if (const auto* const sweep = job->as<SweepJob>()) cells = sweep->cells;
        if (const auto* const mix = job->as<MixJob>())
            for (const MixCell& cell : mix->cells) cells.push_back(cell.cell);
        for (const CellSpec& cell : cells) {
            CAPTURE(cell.id);
            CHECK(cell.volume >= cell.block * few_operations);
            REQUIRE(cell.minimum.has_value() == cell.time_limit.has_value());
            if (!cell.minimum) continue;
            CHECK(cell.minimum->operations >= few_operations);
            CHECK(cell.minimum->longest >= seconds(4));
            CHECK(cell.minimum->longest >= *cell.time_limit * 8);
            const bool new_file = known->name == "dd" && writes(cell.access);
            CHECK(cell.minimum->time == (new_file ? milliseconds(0) : milliseconds(50)));
        }
        request.quick = false;
        if (const auto full = expand(request, 32_GiB); full && full->as<SweepJob>())
            for (const CellSpec& cell : full->as<SweepJob>()->cells) CHECK_FALSE(cell.minimum);
    }
    // Of 2 reads and 1 write, 24 requests contain 8 writes.
    auto mixed = suite("sysbench-fileio");
    mixed.quick = true;
    mixed.tables = {"rndrw"};
    mixed.options = {"file-rw-ratio=2"};
    CHECK(expand(mixed, 32_GiB)->as<MixJob>()->cells[0].cell.minimum->operations == 24);
    auto bounded = suite("quickbench");
    bounded.quick = true;
    bounded.volume = 1_MiB;
    CHECK_FALSE(expand(bounded, 32_GiB)->as<SweepJob>()->cells[0].minimum);
    bounded.volume.reset();
    bounded.time_limit = seconds(1);
    CHECK_FALSE(expand(bounded, 32_GiB)->as<SweepJob>()->cells[0].minimum);
}

TEST_CASE("verify: fills the whole medium, or 64 MiB in a quick run") {
    auto request = suite("verify");
    auto job = expand(request, 32_GiB);
    REQUIRE(job);
    CHECK(job->as<VerifyJob>()->span == 0_B);
    CHECK(job->as<VerifyJob>()->chunk == 1_MiB);
    CHECK_FALSE(job->as<SweepJob>());
    request.quick = true;
    CHECK(expand(request, 32_GiB)->as<VerifyJob>()->span == 64_MiB);
    CHECK(expand(request, 100_MiB)->as<VerifyJob>()->span == 50_MiB);
    request.span = 10_MiB + 5_B;
    CHECK(expand(request, 100_MiB)->as<VerifyJob>()->span == 10_MiB);
}

TEST_CASE("a span that does not fit shrinks to half of the medium in whole blocks, at least the largest block") {
    const auto span = [](const SuiteRequest& request, Bytes available) {
        const auto job = expand(request, available);
        return job ? job->as<SweepJob>()->span : 0_B;
    };
    CHECK(span(suite("quickbench"), 1000_MiB) == 500_MiB);
    CHECK(span(suite("quickbench"), 3_MiB + 700_B) == 1_MiB);
    auto extended = suite("quickbench");
    extended.tables = {"extended"};
    extended.quick = true;
    CHECK(span(extended, 150_MiB) == 100_MiB);
    CHECK(reason(expand(extended, 99_MiB)) ==
          "suite quickbench needs 105 MB, with 104 MB available: use a larger medium or smaller blocks");
}

TEST_CASE("the settings of a request apply to every cell") {
    auto request = suite("quickbench");
    request.accesses = {Access::random_read};
    request.blocks = {4_KiB, 12_KiB};
    request.volume = 100_KiB;
    request.time_limit = seconds(3);
    request.queue_depth = 8;
    request.cache = CachePolicy::cached;
    request.sync = SyncLevel::each_io;
    request.payload = Payload{.kind = PayloadKind::given, .seed = 4, .given = {1}};
    request.on_io_error = OnIoError::stop;
    request.keep_raw_log = true;
    request.order_seed = 99;
    request.span = 1_MiB;
    const auto job = expand(request, 1_GiB);
    REQUIRE(job);
    CHECK(ids_of(*job) == std::vector<std::string>{"standard.random_read.4096", "standard.random_read.12288"});
    CHECK(job->as<SweepJob>()->cells[1].volume == 108_KiB); // rounded to whole blocks
    CHECK(job->as<SweepJob>()->cells[0].time_limit == seconds(3));
    CHECK(job->as<SweepJob>()->cells[0].queue_depth == 8);
    CHECK(job->engine == Engine::uring); // a queue depth above 1 requires this engine
    CHECK(job->cache == CachePolicy::cached);
    CHECK(job->sync == SyncLevel::each_io);
    CHECK(job->payload == *request.payload);
    CHECK(job->on_io_error == OnIoError::stop);
    CHECK(job->keep_raw_log);
    CHECK(job->order_seed == 99);
    CHECK(job->as<SweepJob>()->span == 1_MiB - 4_KiB);
}

TEST_CASE("invalid requests for a suite are refused with a reason") {
    struct Row {
        std::string why;
        SuiteRequest request;
    };
    std::vector<Row> rows;
    const auto row = [&](const std::string& why, const char* name, auto change) {
        SuiteRequest request = suite(name);
        change(request);
        rows.push_back({why, request});
    };
    std::string all;
    for (const std::string_view name : suite_names()) all += (all.empty() ? "" : ", ") + std::string(name);
    row("unknown suite \"fastbench\"; expected one of " + all, "fastbench", [](auto&) {});
    row("suite quickbench has no table \"huge\"; it has standard, large, extended", "quickbench",
        [](auto& r) { r.tables = {"huge"}; });
    row("suite disktester has no table \"standard\"; it has sequential, iops", "disktester",
        [](auto& r) { r.tables = {"standard"}; });
    row("block sizes of disktester can be chosen for one table at a time; name one of sequential, iops", "disktester",
        [](auto& r) { r.blocks = {4_KiB}; });
    row("a block of 0 bytes is outside 1 byte to 1 GiB; choose another size", "quickbench",
        [](auto& r) { r.blocks = {0_B}; });
    row("a block of 2147483648 bytes is outside 1 byte to 1 GiB; choose another size", "quickbench",
        [](auto& r) { r.blocks = {2_GiB}; });
    row("block size 4096 is named twice; name each once", "quickbench", [](auto& r) { r.blocks = {4_KiB, 4_KiB}; });
    row("a volume of 0 bytes per cell is not valid; choose at least one block", "quickbench",
        [](auto& r) { r.volume = 0_B; });
    row("a time limit must be above 0", "quickbench", [](auto& r) { r.time_limit = seconds(0); });
    row("queue depth 0 is outside 1 to 1024", "quickbench", [](auto& r) { r.queue_depth = 0; });
    row("a queue depth above 1 needs the engine uring", "quickbench", [](auto& r) {
        r.queue_depth = 2;
        r.engine = Engine::psync;
    });
    row("a given payload must have 1 byte to 1 MiB", "quickbench",
        [](auto& r) { r.payload = Payload{.kind = PayloadKind::given, .seed = 1, .given = {}}; });
    row("none of the accesses asked for is part of the chosen tables of quickbench; these tables have only "
        "sequential accesses: large, extended",
        "quickbench", [](auto& r) {
            r.tables = {"large"};
            r.accesses = {Access::random_read};
        });
    row("a span of 100 B is smaller than one block; choose at least 1.05 MB", "quickbench",
        [](auto& r) { r.span = 100_B; });
    row("a span of 2.15 GB does not fit into 1.07 GB: write less (--quick, or a smaller \"span\" in a plan), or use a "
        "larger medium",
        "quickbench", [](auto& r) { r.span = 2_GiB; });
    row("suite verify takes a span, one block size and a payload; it has no tables, accesses, volumes, time limits or "
        "queues",
        "verify", [](auto& r) { r.tables = {"standard"}; });
    row("verify needs a payload that differs between positions: incompressible or given", "verify",
        [](auto& r) { r.payload = Payload{.kind = PayloadKind::zeros, .seed = 1, .given = {}}; });
    row("verify needs a block of whole 512-byte sectors up to 64 MiB", "verify", [](auto& r) { r.blocks = {1000_B}; });
    row("an assumed cache belongs only to capacity, check", "quickbench", [](auto& r) { r.assumed_cache = 1_MiB; });
    row("suite capacity takes an assumed cache and a payload's start value; it has no tables, accesses, blocks, spans, "
        "volumes, time limits or queues",
        "capacity", [](auto& r) { r.span = 1_MiB; });
    row("suite capacity needs the incompressible payload, which differs between positions", "capacity",
        [](auto& r) { r.payload = Payload{.kind = PayloadKind::zeros, .seed = 1, .given = {}}; });
    row("suite capacity works with direct access only: reads could come from the page cache instead of the medium",
        "capacity", [](auto& r) { r.cache = CachePolicy::cached; });
    row("an assumed cache of 34.4 GB is more than 17.2 GB; run verify instead, which writes everything", "capacity",
        [](auto& r) { r.assumed_cache = 32_GiB; });
    for (const Row& each : rows) {
        const auto job = expand(each.request, 1_GiB);
        CHECK(reason(job) == each.why);
        CHECK((job || job.error().code == Errc::bad_request));
    }
}

TEST_CASE("the traffic of a sweep is the size of the test file plus the volume of every cell") {
    const auto job = expand(suite("disktester"), 32_GiB);
    REQUIRE(job);
    const Traffic traffic = traffic_of(*job, 32_GiB);
    CHECK(traffic.written == 2_GiB + 2_GiB * 2 + 256_MiB);
    CHECK(traffic.read == 2_GiB * 2 + 256_MiB);
    const Traffic verify = traffic_of(*expand(suite("verify"), 32_GiB), 32_GiB);
    CHECK(verify.written == 32_GiB);
    CHECK(verify.read == 32_GiB);
}

TEST_CASE("check: a probe that keeps the data, with at most twelve seconds for its run") {
    const auto job = expand(suite("check"), 32_GiB);
    REQUIRE(job);
    CHECK(
        *job->as<ProbeJob>() ==
        ProbeJob{.assumed_cache = 512_MiB, .run_time = std::chrono::seconds(12), .generation = 1, .keeps_data = true});
    // Each place is read, written, written back and compared.
    const Traffic check = traffic_of(*job, 32_GiB), probe = traffic_of(*expand(suite("capacity"), 32_GiB), 32_GiB);
    CHECK(check.written == 2_GiB + 16_MiB);
    CHECK(probe.written == 2_GiB + 8_MiB);
    CHECK(check.read > 2_GiB);

    SuiteRequest request = suite("check");
    request.assumed_cache = 1_GiB;
    CHECK(*expand(request, 32_GiB)->as<ProbeJob>() ==
          ProbeJob{.assumed_cache = 1_GiB, .generation = 1, .keeps_data = true});
    request.time_limit = std::chrono::minutes(30); // widens the check
    CHECK(expand(request, 32_GiB)->as<ProbeJob>()->widen_time == std::chrono::minutes(30));
    CHECK(traffic_of(*expand(request, 32_GiB), 32_GiB).written > 32_GiB);
    request = suite("check");
    request.span = 1_MiB;
    CHECK(reason(expand(request, 32_GiB)) ==
          "suite check takes an assumed cache and a payload's start value; it has no tables, accesses, blocks, spans, "
          "volumes, time limits or queues");
}

TEST_CASE("capacity: a probe assumes a cache of 1 GiB by default") {
    const auto job = expand(suite("capacity"), 32_GiB);
    REQUIRE(job);
    // A run takes at most eight seconds of writing.
    CHECK(*job->as<ProbeJob>() ==
          ProbeJob{.assumed_cache = 1_GiB, .run_time = std::chrono::seconds(8), .generation = 1});
    CHECK_FALSE(job->as<VerifyJob>());
    CHECK(traffic_of(*job, 32_GiB).written <= 2_GiB + 8_MiB);
    CHECK(traffic_of(*job, 64_MiB).written <= 72_MiB); // at most half of a small medium per round

    SuiteRequest request = suite("capacity");
    request.assumed_cache = 1_GiB;
    CHECK(*expand(request, 32_GiB)->as<ProbeJob>() == ProbeJob{.assumed_cache = 1_GiB, .generation = 1});
    CHECK(reason(expand(request, 2_GiB)) == "success");
    CHECK(reason(expand(request, 1_GiB)) ==
          "an assumed cache of 1.07 GB is more than half of the 1.07 GB of the medium: run verify instead, which "
          "writes everything");
    CHECK(reason(expand(request, 4_MiB)) ==
          "suite capacity needs 8.39 MB, with 4.19 MB available: run verify, which is quick there");
}

TEST_CASE("crystal: two of four tables have a queue, which requires the engine uring") {
    const auto job = expand(suite("crystal"), 64_GiB);
    REQUIRE(job);
    CHECK(job->engine == Engine::uring);
    std::map<std::string, std::uint32_t> depths;
    for (const CellSpec& cell : job->as<SweepJob>()->cells) depths[cell.table] = cell.queue_depth;
    CHECK(depths == std::map<std::string, std::uint32_t>{
                        {"seq1m_q8t1", 8}, {"seq1m_q1t1", 1}, {"rnd4k_q32t1", 32}, {"rnd4k_q1t1", 1}});
    auto request = suite("crystal");
    request.engine = Engine::psync;
    CHECK(reason(expand(request, 64_GiB)) == "a queue depth above 1 needs the engine uring");
    request.tables = {"rnd4k_q1t1"};
    CHECK(expand(request, 64_GiB)->engine == Engine::psync);
    request.tables.clear();
    request.queue_depth = 1;
    CHECK(reason(expand(request, 64_GiB)) == "success");
}

TEST_CASE("crystal: reads all rows before it writes the first row") {
    const auto job = expand(suite("crystal"), 64_GiB);
    REQUIRE(job);
    std::vector<std::pair<std::string, bool>> order;
    for (const CellSpec& cell : job->as<SweepJob>()->cells)
        order.emplace_back(cell.table, workload::writes(cell.access));
    CHECK(order == std::vector<std::pair<std::string, bool>>{{"seq1m_q8t1", false},
                                                             {"seq1m_q1t1", false},
                                                             {"rnd4k_q32t1", false},
                                                             {"rnd4k_q1t1", false},
                                                             {"seq1m_q8t1", true},
                                                             {"seq1m_q1t1", true},
                                                             {"rnd4k_q32t1", true},
                                                             {"rnd4k_q1t1", true}});
}

TEST_CASE(
    "a job that is smaller than its protocol gives the reason: a quick run or too little space for the test file") {
    using mediarig::suites::less_than_published;
    auto request = suite("crystal");
    CHECK(less_than_published(*expand(request, 64_GiB)).empty());
    CHECK(less_than_published(*expand(request, 512_MiB)) ==
          std::vector<std::string>{
              "The test file was 268 MB, that of CrystalDiskMark is 1.07 GB: caches can serve more of it."});
    request.quick = true;
    CHECK(less_than_published(*expand(request, 64_GiB)) ==
          std::vector<std::string>{"Quick: the protocol of CrystalDiskMark, with far less data and time: not "
                                   "comparable with published figures."});
    CHECK(less_than_published(*expand(request, 8_MiB)).back() ==
          "The test file was 4.19 MB, that of a quick CrystalDiskMark is 33.6 MB: caches can serve more of it.");
    for (const char* several : {"sysbench-fileio", "bonnie"}) {
        CHECK(less_than_published(*expand(suite(several), 64_GiB)).empty());
        CHECK_THAT(less_than_published(*expand(suite(several), 2_GiB)).back(),
                   ContainsSubstring("The test files were 1.07 GB, those of "));
    }
    for (const auto* known : mediarig::suites::all_suites())
        for (const bool quick : {false, true}) {
            CAPTURE(known->name, quick);
            auto roomy = suite(std::string(known->name));
            roomy.quick = quick;
            CHECK(less_than_published(*expand(roomy, Bytes{std::uint64_t{1} << 40})).size() == (quick ? 1 : 0));
        }
    workload::JobSpec unknown;
    unknown.suite = "of a later version";
    unknown.quick = true;
    CHECK(less_than_published(unknown).empty());
}

TEST_CASE("dd: uses the cache, writes zeros and does not sync, as published, unlike dd-direct") {
    const auto published = expand(suite("dd"), 64_GiB), corrected = expand(suite("dd-direct"), 64_GiB);
    REQUIRE((published && corrected));
    CHECK(published->cache == CachePolicy::cached);
    CHECK(published->sync == SyncLevel::none);
    CHECK(published->payload.kind == PayloadKind::zeros);
    CHECK(corrected->cache == CachePolicy::direct);
    CHECK(corrected->sync == SyncLevel::at_end);
    CHECK(corrected->payload.kind == PayloadKind::incompressible);
    for (const auto& job : {*published, *corrected}) {
        REQUIRE(job.as<SweepJob>()->cells.size() == 2);
        for (const CellSpec& cell : job.as<SweepJob>()->cells) {
            CHECK(cell.block == 2_MiB);
            CHECK(cell.volume / cell.block == 1024);
        }
    }
    // dd creates its file; dd-direct overwrites an allocated one.
    CHECK(published->as<SweepJob>()->no_layout);
    CHECK_FALSE(corrected->as<SweepJob>()->no_layout);
    CHECK(traffic_of(*published, 64_GiB).written == 2_GiB);
    CHECK(traffic_of(*corrected, 64_GiB).written == 4_GiB);
    auto reading = suite("dd");
    reading.accesses = {Access::sequential_read};
    CHECK_FALSE(expand(reading, 64_GiB)->as<SweepJob>()->no_layout);
    auto request = suite("dd");
    request.cache = CachePolicy::dropped;
    CHECK(expand(request, 64_GiB)->cache == CachePolicy::dropped);
}

namespace {

/// A view of a suite with the rate `rate` everywhere.
std::optional<mediarig::suites::View> view_at(const char* name, double rate) {
    return mediarig::suites::find_suite(name)->view(
        {.value_of = [&](const mediarig::suites::Metric&) { return std::optional(rate); }});
}

} // namespace

TEST_CASE("xbench: the rates of a published table give the scores, sections and total of that table") {
    // SanDisk microSD, exFAT; in the original's MB of 2^20 bytes.
    const std::map<std::pair<Access, std::uint64_t>, double> rates{
        {{Access::sequential_write, 4096}, 89.53}, {{Access::sequential_write, 262144}, 9.82},
        {{Access::sequential_read, 4096}, 8.64},   {{Access::sequential_read, 262144}, 41.71},
        {{Access::random_write, 4096}, 2.30},      {{Access::random_write, 262144}, 1.60},
        {{Access::random_read, 4096}, 4.38},       {{Access::random_read, 262144}, 40.01}};
    const auto view =
        mediarig::suites::find_suite("xbench")->view({.value_of = [&](const mediarig::suites::Metric& metric) {
            return std::optional(1.048576 * rates.at({metric.access, metric.block->count}));
        }});
    REQUIRE(view);
    REQUIRE(view->rows.size() == 11);
    CHECK(view->rows[0].cells == std::vector<std::string>{"145.82", "89.53", "6 %"});
    // A total of rates with two decimals may be off by some hundredths.
    CHECK(std::stod(view->rows[8].cells[0]) == Approx(36.23).margin(0.05));
    CHECK(std::stod(view->rows[9].cells[0]) == Approx(15.88).margin(0.05));
    CHECK(std::stod(view->rows[10].cells[0]) == Approx(22.09).margin(0.05));
    CHECK(view->rows[5].label == "random write 256K");
    CHECK(view->rows[5].cells[2] == "79 %"); // this part dominates the score of its section
}

TEST_CASE("blackmagic: a video format is sustained at the required rate in MiB/s and not below") {
    const auto yes = view_at("blackmagic", 133.2), no = view_at("blackmagic", 132.6); // 127.03 and 126.46 MiB/s
    REQUIRE((yes && no));
    const auto row = [](const mediarig::suites::View& view, const std::string& label) {
        for (const auto& one : view.rows)
            if (one.label == label) return one.cells;
        return std::vector<std::string>{};
    };
    CHECK(row(*yes, "1080p24") == std::vector<std::string>{"write, read", "95", "write, read", "127"});
    CHECK(row(*no, "1080p24") == std::vector<std::string>{"write, read", "95", "no", "127"});
    CHECK(row(*yes, "2160p60") == std::vector<std::string>{"no", "949", "no", "1266"});
    // 26.20 MiB/s of 26.37: the figures have as many digits as the answer needs.
    const auto edge = view_at("blackmagic", 27.47);
    REQUIRE(edge);
    CHECK(row(*edge, "PAL 576i25") == std::vector<std::string>{"write, read", "20", "no", "26.4"});
}

TEST_CASE("the page about suites lists each suite with quick run, source and differences from the original") {
    const std::string page = tests::text_of(MEDIARIG_SUITES_PAGE);
    for (const std::string_view name : suite_names()) {
        CAPTURE(name);
        CHECK_FALSE(quick_column(page, name).empty());
        const std::string text = section(page, name);
        REQUIRE_FALSE(text.empty());
        if (name == "payloads" || name == "verify" || name == "capacity" || name == "check") continue; // no original
        for (const char* part : {"**Original.**", "**Source.**", "**Differences.**"})
            CHECK_THAT(text, ContainsSubstring(part));
    }
}

TEST_CASE("suite payloads writes each kind of data and reads it back, in pairs of an order and its mirror image") {
    const auto job = expand(suite("payloads"), 64_GiB);
    REQUIRE(reason(job) == "success");
    const auto& cells = job->as<SweepJob>()->cells;
    REQUIRE(cells.size() == 40);
    std::vector<std::string> order;
    std::map<std::string, PayloadKind> kinds;
    for (std::size_t i = 0; i < cells.size(); i += 2) {
        CHECK(cells[i].access == Access::sequential_write);
        CHECK(cells[i + 1].access == Access::sequential_read);
        CHECK(cells[i].table == cells[i + 1].table);
        CHECK(cells[i].payload == cells[i + 1].payload);
        CHECK(cells[i].volume == 64_MiB);
        CHECK_FALSE(cells[i].time_limit);
        REQUIRE(cells[i].payload);
        kinds[cells[i].table] = *cells[i].payload;
        order.push_back(cells[i].table);
    }
    CHECK(kinds == std::map<std::string, PayloadKind>{{"zeros", PayloadKind::zeros},
                                                      {"ones", PayloadKind::ones},
                                                      {"compressible", PayloadKind::compressible},
                                                      {"noise", PayloadKind::incompressible},
                                                      {"repeated", PayloadKind::repeated}});
    for (const std::size_t pair : {0u, 10u})
        for (std::size_t i = 0; i < 5; ++i) CHECK(order[pair + i] == order[pair + 9 - i]);
    CHECK(order[0] != order[10]);
    const std::vector<std::string> ids = ids_of(*job);
    CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == cells.size());
}

TEST_CASE("suite payloads refuses other data, accesses and time limits") {
    const auto refuses = [](auto change) {
        SuiteRequest request = suite("payloads");
        change(request);
        const auto job = expand(request, 64_GiB);
        return !job && job.error().detail.starts_with("suite payloads writes its own data");
    };
    CHECK(refuses([](SuiteRequest& r) { r.payload = Payload{.kind = PayloadKind::zeros, .seed = 1, .given = {}}; }));
    CHECK(refuses([](SuiteRequest& r) { r.accesses = {Access::sequential_read}; }));
    CHECK(refuses([](SuiteRequest& r) { r.time_limit = seconds(1); }));
    CHECK_FALSE(refuses([](SuiteRequest& r) { r.payload = Payload{.seed = 7, .given = {}}; }));
}
