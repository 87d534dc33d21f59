// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "host/workload/io/linux/work_folder.hpp"
#include "host/workload/metrics/implausible.hpp"
#include "host/workload/payload/pattern.hpp"
#include "tests/catch.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using std::chrono::milliseconds;

namespace {

const std::vector<Access> all_accesses{Access::sequential_write, Access::sequential_read, Access::random_write,
                                       Access::random_read};

JobSpec four_cells() {
    std::vector<CellSpec> cells;
    cells.reserve(all_accesses.size());
    for (const Access access : all_accesses) cells.push_back(cell_of(access, 16_KiB, 2_MiB));
    return sweep_of(cells, 4_MiB);
}

void check_whole(const CellResult& result) {
    CAPTURE(result.cell.id);
    CHECK(result.end == CellEnd::volume);
    CHECK(result.moved == result.cell.volume);
    CHECK(result.operations == result.cell.volume / result.cell.block);
    CHECK(result.latency.count() == result.operations);
    CHECK(result.raw_log.size() == result.operations);
    CHECK(result.elapsed.count() > 0);
    CHECK(result.elapsed >= result.sync_time);
    Bytes in_series;
    std::chrono::nanoseconds length{};
    for (const SeriesSample& second : result.series) {
        in_series += second.moved;
        length += second.length;
    }
    CHECK(in_series == result.moved);
    CHECK(static_cast<double>(length.count()) == Approx(static_cast<double>(result.elapsed.count())).epsilon(1e-3));
}

} // namespace

TEST_CASE("cells of every access transfer their volume with either engine and leave no files") {
    Folder folder;
    for (const Engine engine : {Engine::psync, Engine::uring}) {
        JobSpec job = four_cells();
        job.engine = engine;
        job.keep_raw_log = true;
        if (engine == Engine::uring)
            for (CellSpec& cell : job.as<SweepJob>()->cells) cell.queue_depth = 8;
        JobControl control;
        Watcher watcher;
        const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
        REQUIRE(reason(outcome) == "success");
        REQUIRE(outcome->cells.size() == 4);
        CHECK(watcher.cells.size() == 4);
        for (const CellResult& result : outcome->cells) {
            check_whole(result);
            CHECK(result.evidence.engine == engine);
            CHECK(result.evidence.used == CachePolicy::direct);
            CHECK(result.evidence.alignment == 4_KiB);
            CHECK(result.evidence.write_cache_flushed == writes(result.cell.access));
            CHECK(result.evidence.sync_calls == (writes(result.cell.access) ? 1 : 0));
            CHECK(result.evidence.page_cache_dropped == !writes(result.cell.access));
        }
        CHECK(watcher.phases == std::vector<std::string>{"layout", "sync", "test.seq_write.16384",
                                                         "test.seq_read.16384", "test.random_write.16384",
                                                         "test.random_read.16384", "cleanup"});
        CHECK(control.bytes_done == control.bytes_total);
        CHECK(control.bytes_total == (4_MiB + 2_MiB * 4).count);
        CHECK(folder.empty());
    }
}

TEST_CASE("the write time with io_uring includes payload generation, and a slow generator is reported") {
    Folder folder;
    const auto found_with = [&](Payload payload) {
        // The cells are served by the host's memory, so that only the payload can be slow.
        JobSpec job = sweep_of({cell_of(Access::sequential_write, 1_MiB, 48_MiB)}, 16_MiB);
        job.engine = Engine::uring;
        job.cache = CachePolicy::cached;
        job.sync = SyncLevel::none;
        job.payload = std::move(payload);
        job.as<SweepJob>()->cells[0].queue_depth = 4;
        JobControl control;
        Watcher watcher;
        const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
        REQUIRE(reason(outcome) == "success");
        const CellResult& cell = outcome->cells.at(0);
        CHECK((cell.prepare_time.count() > 0) == (job.payload.kind != PayloadKind::zeros));
        CHECK(cell.prepare_time < cell.elapsed);
        std::set<measure::FindingKind> kinds;
        for (const auto& finding : metrics::implausible(job, outcome->cells, {})) kinds.insert(finding.kind);
        return kinds.contains(measure::FindingKind::processor_bound);
    };
    // This payload is copied byte by byte, some hundred times slower than the pattern.
    CHECK(found_with({.kind = PayloadKind::given, .seed = 1, .given = {0x5A}}));
    CHECK_FALSE(found_with({.kind = PayloadKind::zeros, .seed = 1, .given = {}}));
}

TEST_CASE("a raw device is used from its first byte, and written data is the pattern") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    Folder folder;
    make_file(folder.path("disk"), 8_MiB);
    auto loop = Loop::over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    for (const Engine engine : {Engine::psync, Engine::uring}) {
        JobSpec job = sweep_of({cell_of(Access::random_write, 4_KiB, 2_MiB)}, 2_MiB);
        job.engine = engine;
        job.payload.seed = 5;
        job.as<SweepJob>()->cells[0].queue_depth = engine == Engine::uring ? 16 : 1;
        JobControl control;
        Watcher watcher;
        REQUIRE(reason(run_job(job, device(*loop), {}, control, watcher)) == "success");
        CHECK(watcher.cells.at(0).evidence.device_written >= 2_MiB);

        // The random cell, whose generation is the second, covered the whole span once. Nothing changed beyond it.
        const auto written = read_part(loop->node(), 0, 2 << 20);
        CHECK(Pattern(5, 2).matches(written, 0));
        const auto beyond = read_part(folder.path("disk"), 2 << 20, 6 << 20);
        CHECK(std::all_of(beyond.begin(), beyond.end(), [](std::byte b) { return b == std::byte{0}; }));
    }
}

TEST_CASE("without a prior layout of the test file, each sequential write begins with an empty file") {
    Folder folder;
    JobSpec job =
        sweep_of({cell_of(Access::sequential_write, 1_MiB, 4_MiB), cell_of(Access::sequential_read, 1_MiB, 4_MiB),
                  cell_of(Access::sequential_write, 64_KiB, 2_MiB), cell_of(Access::sequential_read, 64_KiB, 4_MiB)},
                 4_MiB);
    job.as<SweepJob>()->no_layout = true;
    job.cache = CachePolicy::cached;
    std::map<std::string, std::uint64_t> sizes; // size of the file at the beginning of each phase
    JobControl control;
    Watcher watcher;
    watcher.when_phase = [&](const std::string& phase) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
            if (entry.is_regular_file()) sizes[phase] = entry.file_size();
    };
    REQUIRE(reason(run_job(job, directory(folder.path()), {}, control, watcher)) == "success");
    CHECK(sizes["test.seq_write.1048576"] == 0);
    CHECK(sizes["test.seq_read.1048576"] == (4_MiB).count);
    CHECK(sizes["test.seq_read.65536"] == (2_MiB).count);
    // The last cell reads the part that was written twice.
    CHECK(watcher.cells.at(3).moved == 4_MiB);
    CHECK(watcher.found(measure::FindingKind::short_transfer) == nullptr);
    CHECK(control.bytes_done == control.bytes_total);
    // A resumed job writes the file of its next cell again.
    Watcher again;
    REQUIRE(reason(run_job(
                job, directory(folder.path()),
                {{.id = "test.seq_write.1048576"}, {.id = "test.seq_read.1048576"}, {.id = "test.seq_write.65536"}},
                control, again)) == "success");
    CHECK(again.cells.size() == 2);
    CHECK(again.cells.back().moved == 4_MiB);
}

TEST_CASE("a cell that reaches its time limit ends early, and the job completes its progress") {
    Folder folder;
    for (const Engine engine : {Engine::psync, Engine::uring}) {
        JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, 1_GiB)}, 1_MiB);
        job.engine = engine;
        job.as<SweepJob>()->cells[0].time_limit = milliseconds(50);
        JobControl control;
        Watcher watcher;
        REQUIRE(reason(run_job(job, directory(folder.path()), {}, control, watcher)) == "success");
        const CellResult& result = watcher.cells.at(0);
        CHECK(result.end == CellEnd::time);
        CHECK(result.moved < 1_GiB);
        CHECK(result.operations > 0);
        CHECK(control.bytes_done == control.bytes_total);
    }
}

TEST_CASE("a resumed job does not repeat finished cells") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(four_cells(), directory(folder.path()),
                                 {{.id = "test.seq_write.16384"}, {.id = "test.random_write.16384"}}, control, watcher);
    REQUIRE(outcome);
    REQUIRE(outcome->cells.size() == 2);
    CHECK(outcome->cells[0].cell.id == "test.seq_read.16384");
    CHECK(outcome->cells[1].cell.id == "test.random_read.16384");

    Watcher idle;
    std::vector<PreviousCell> all;
    const JobSpec job = four_cells();
    for (const CellSpec& cell : job.as<SweepJob>()->cells) all.push_back({.id = cell.id});
    REQUIRE(run_job(job, directory(folder.path()), all, control, idle));
    CHECK(idle.phases.empty());
}

TEST_CASE("a job removes files of a killed job and keeps files of a running job") {
    Folder folder;
    REQUIRE(::mkdir(folder.path("mediarig-work-abcdef").c_str(), 0700) == 0);
    std::ofstream(folder.path("mediarig-work-abcdef/span.bin")) << "left behind";
    std::filesystem::create_directory(folder.path("holiday-photos"));
    const auto opened = open_directory(folder.path());
    REQUIRE(opened);
    JobTarget target = directory(folder.path());
    target.directory_fd = opened->get();
    auto alive = LinuxWorkFolder::create(target);
    REQUIRE(alive);
    std::ofstream(alive->path() + "/span.bin") << "in use";

    CHECK_FALSE(std::filesystem::exists(folder.path("mediarig-work-abcdef")));
    JobControl control;
    Watcher watcher;
    REQUIRE(run_job(four_cells(), directory(folder.path()), {}, control, watcher));
    CHECK(std::filesystem::exists(alive->path() + "/span.bin"));
    CHECK(std::filesystem::exists(folder.path("holiday-photos")));
    const std::string path = alive->path();
    CHECK(alive->remove());
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("jobs that are invalid for their target are refused before any write") {
    Folder folder;
    struct Row {
        std::string why;
        JobSpec job;
    };
    std::vector<Row> rows;
    const auto row = [&](std::string why, auto change) {
        JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, 1_MiB)}, 1_MiB);
        change(job);
        rows.push_back({std::move(why), job});
    };
    const std::string cell = "cell test.random_read.4096: ";
    row(cell + "the block is larger than the span; choose a larger span",
        [](JobSpec& j) { j.as<SweepJob>()->span = 1_KiB; });
    row(cell + "the volume is less than one block; choose a larger volume",
        [](JobSpec& j) { j.as<SweepJob>()->cells[0].volume = 1_KiB; });
    row(cell + "a block must have 1 byte to 1 GiB", [](JobSpec& j) { j.as<SweepJob>()->cells[0].block = 0_B; });
    row(cell + "the queue depth must be at least 1", [](JobSpec& j) { j.as<SweepJob>()->cells[0].queue_depth = 0; });
    row(cell + "a queue depth above 1 needs the engine uring",
        [](JobSpec& j) { j.as<SweepJob>()->cells[0].queue_depth = 2; });
    row(cell + "direct transfers need whole sectors of 512 bytes; choose another block or another cache policy",
        [](JobSpec& j) { j.as<SweepJob>()->cells[0].block = 1000_B; });
    row("the span of 1048577 bytes does not consist of whole sectors of 512 bytes",
        [](JobSpec& j) { j.as<SweepJob>()->span = 1_MiB + 1_B; });
    row("a sweep without a layout begins with a sequential write",
        [](JobSpec& j) { j.as<SweepJob>()->no_layout = true; });
    row(cell + "the name is used twice",
        [](JobSpec& j) { j.as<SweepJob>()->cells.push_back(j.as<SweepJob>()->cells[0]); });
    row(cell + "a given payload needs at least one byte",
        [](JobSpec& j) { j.as<SweepJob>()->cells[0].payload = PayloadKind::given; });
    row("a given payload needs at least one byte", [](JobSpec& j) { j.payload.kind = PayloadKind::given; });
    row("verify needs a payload that differs between positions: incompressible or given", [](JobSpec& j) {
        j = verify_of(1_MiB);
        j.payload.kind = PayloadKind::zeros;
    });
    row("verify needs a chunk of whole sectors of 512 bytes up to 64 MiB, not 1000 bytes", [](JobSpec& j) {
        j = verify_of(1_MiB);
        j.as<VerifyJob>()->chunk = 1000_B;
    });
    for (const Row& each : rows) {
        JobControl control;
        Watcher watcher;
        const auto outcome = run_job(each.job, directory(folder.path()), {}, control, watcher);
        CHECK(reason(outcome) == each.why);
        CHECK((outcome || outcome.error().code == Errc::bad_request));
        CHECK(folder.empty());
    }
}

TEST_CASE("a job on an unusable target fails and names a remedy") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    const JobSpec job = four_cells();
    CHECK(reason(run_job(job, directory(folder.path("absent")), {}, control, watcher)) ==
          "cannot create a folder in " + folder.path("absent") +
              ": No such file or directory; name an existing directory or device");
    std::ofstream(folder.path("file")) << "x";
    CHECK_THAT(reason(run_job(job, directory(folder.path("file")), {}, control, watcher)),
               ContainsSubstring("Not a directory; name an existing directory or device"));
    JobTarget closed;
    closed.kind = JobTarget::Kind::device;
    CHECK(reason(run_job(job, closed, {}, control, watcher)) == "a raw test needs an open device");

    JobSpec huge = job;
    huge.as<SweepJob>()->span = {std::uint64_t{1} << 60};
    const auto outcome = run_job(huge, directory(folder.path()), {}, control, watcher);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::bad_request);
    CHECK_THAT(reason(outcome), ContainsSubstring("has space for"));
    CHECK(watcher.found(measure::FindingKind::medium_full));
}
