// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "host/workload/io/linux/medium_file.hpp"
#include "host/workload/io/linux/work_folder.hpp"
#include "host/workload/outcome.hpp"
#include "tests/catch.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using measure::FindingKind;

namespace {

MixCell mixed(const std::string& table, std::uint32_t reads, std::uint32_t writes, std::uint64_t requests) {
    return {.cell = {.id = table,
                     .table = table,
                     .access = Access::random_write,
                     .block = 16_KiB,
                     .volume = 16_KiB * requests,
                     .time_limit = {},
                     .queue_depth = 1},
            .reads = reads,
            .writes = writes,
            .on_new_files = false};
}

JobSpec mix_of(std::vector<MixCell> cells) {
    JobSpec job;
    job.suite = "mix";
    job.cache = CachePolicy::dropped;
    job.kind = MixJob{.files = 4, .file_size = 1_MiB, .cells = std::move(cells), .sync_every = 0, .rounds = {}};
    return job;
}

const CellResult* cell_named(const std::vector<CellResult>& cells, const std::string& id) {
    const auto found = std::ranges::find_if(cells, [&](const CellResult& cell) { return cell.cell.id == id; });
    return found == cells.end() ? nullptr : &*found;
}

} // namespace

TEST_CASE("a mix keeps the proportion of reads and writes, and both results have the time of the whole mix") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(mix_of({mixed("rndrw", 3, 2, 500)}), directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    const CellResult* reads = cell_named(outcome->cells, "rndrw.read");
    const CellResult* writes = cell_named(outcome->cells, "rndrw.write");
    REQUIRE((reads && writes));
    CHECK(reads->operations == 300);
    CHECK(writes->operations == 200);
    CHECK(reads->moved == 16_KiB * 300);
    CHECK(reads->cell.access == Access::random_read);
    CHECK(writes->cell.access == Access::random_write);
    CHECK(reads->elapsed == writes->elapsed);
    CHECK(writes->evidence.sync_calls == 4); // a flush of each file at the end
    CHECK(reads->evidence.page_cache_dropped);
    CHECK(control.bytes_done == control.bytes_total);
    CHECK(folder.empty());
}

TEST_CASE("a mix makes the same requests in the modes async and mmap as in mode sync") {
    for (const MixMode mode : {MixMode::async, MixMode::mmap})
        for (const CachePolicy cache : {CachePolicy::dropped, CachePolicy::direct}) {
            CAPTURE(name_of(mode), name_of(cache));
            Folder folder;
            JobControl control;
            Watcher watcher;
            MixCell first = mixed("seqwr", 0, 1, 256);
            first.cell.access = Access::sequential_write;
            first.on_new_files = true;
            JobSpec job = mix_of({first, mixed("rndrw", 3, 2, 500), mixed("rndrd", 1, 0, 300)});
            job.cache = cache;
            job.as<MixJob>()->mode = mode;
            job.as<MixJob>()->backlog = 16;
            job.as<MixJob>()->sync_every = 100;
            const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
            REQUIRE(reason(outcome) == "success");
            CHECK(cell_named(outcome->cells, "seqwr.write")->operations == 256);
            const CellResult& reads = *cell_named(outcome->cells, "rndrw.read");
            const CellResult& writes = *cell_named(outcome->cells, "rndrw.write");
            // Pending requests do not count for the proportion yet.
            CHECK(reads.operations + writes.operations == 500);
            CHECK(static_cast<double>(reads.operations) == Approx(300).margin(mode == MixMode::async ? 16 : 0));
            CHECK(writes.latency.count() == writes.operations);
            CHECK(cell_named(outcome->cells, "rndrw.write")->evidence.sync_calls == 4 * 4 + 4);
            CHECK(cell_named(outcome->cells, "rndrd.read")->moved == 16_KiB * 300);
            CHECK(cell_named(outcome->cells, "rndrd.read")->evidence.page_cache_dropped);
            CHECK(watcher.found(FindingKind::io_error) == nullptr);
            CHECK(control.bytes_done == control.bytes_total);
            CHECK(folder.empty());
        }
}

TEST_CASE("repeated reads of a mix reach the medium, and reads of repeated offsets are not suspicious") {
    for (const MixMode mode : {MixMode::sync, MixMode::async}) {
        CAPTURE(name_of(mode));
        Folder folder;
        JobControl control;
        Watcher watcher;
        MixCell in_order = mixed("seqrd", 1, 0, 600); // the files have 256 blocks
        in_order.cell.access = Access::sequential_read;
        JobSpec job =
            mix_of({in_order, mixed("rndrd", 1, 0, 600), mixed("rndwr", 0, 1, 600), mixed("rndrw", 3, 2, 600)});
        job.as<MixJob>()->mode = mode;
        job.as<MixJob>()->backlog = 16;
        const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
        REQUIRE(reason(outcome) == "success");
        const CellResult& sequential = *cell_named(outcome->cells, "seqrd.read");
        if (!sequential.evidence.device_read) MEDIARIG_SKIP("the device under /var/tmp keeps no counters");
        CHECK(*sequential.evidence.device_read >= sequential.moved);
        CHECK(watcher.found(FindingKind::cache_suspected) == nullptr);
    }
}

TEST_CASE("accesses to the lost bytes of a truncated mapped file return errors and raise no signal") {
    Folder folder;
    make_file(folder.path("file"), 1_MiB);
    const Result<Descriptor> root = open_directory(folder.path());
    REQUIRE(root);
    auto file = LinuxMediumFile::open_existing(root->get(), "file", CachePolicy::cached, SyncLevel::none);
    REQUIRE(file);
    REQUIRE(file->map(1_MiB) == 0);
    std::vector<std::byte> bytes(4096, std::byte{7});
    CHECK(file->write(bytes, 512 * 1024).bytes == 4096);
    CHECK(file->flush() == 0);
    CHECK(read_part(folder.path("file"), 512 * 1024, 4096) == bytes);
    std::filesystem::resize_file(folder.path("file"), 65536);
    CHECK(file->read(bytes, 512 * 1024).error == EIO);
    CHECK(file->write(bytes, 512 * 1024).error == EIO);
    CHECK(file->read(bytes, 0).bytes == 4096);
    file->unmap();
    CHECK(file->read(bytes, 512 * 1024).bytes == 0);
}

TEST_CASE("a mix can flush after each write and omit the last flush") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    JobSpec job = mix_of({mixed("rndrw", 3, 2, 100)});
    job.as<MixJob>()->syncs_each_write = true;
    job.as<MixJob>()->leaves_last_sync_out = true;
    const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(cell_named(outcome->cells, "rndrw.write")->evidence.sync_calls == 40);
}

TEST_CASE("a mix flushes all files after the given number of requests if it wrote") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    JobSpec job = mix_of({mixed("rndwr", 0, 1, 300), mixed("rndrd", 1, 0, 300)});
    job.as<MixJob>()->sync_every = 100;
    job.sync = SyncLevel::none;
    const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(cell_named(outcome->cells, "rndwr.write")->evidence.sync_calls ==
          2 * 4); // four files after 100 and after 200 requests
    CHECK(cell_named(outcome->cells, "rndrd.read")->operations == 300);
}

TEST_CASE("a mix on new files writes the files in order, and later mixes read the files") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    MixCell first = mixed("seqwr", 0, 1, 64);
    first.cell.access = Access::sequential_write;
    first.on_new_files = true;
    MixCell second = mixed("seqrd", 1, 0, 256);
    second.cell.access = Access::sequential_read;
    const auto outcome = run_job(mix_of({first, second}), directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(watcher.phases == std::vector<std::string>{"seqwr", "layout", "seqrd", "cleanup"});
    CHECK(cell_named(outcome->cells, "seqrd.read")->operations == 256);
    CHECK(watcher.found(FindingKind::io_error) == nullptr);
}

TEST_CASE("rounds end when results are steady or at the maximum, and each round is one sample of the series") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    JobSpec job = mix_of({mixed("steady", 1, 1, 64)});
    job.as<MixJob>()->files = 1;
    job.as<MixJob>()->file_size = 4_MiB;
    job.as<MixJob>()->rounds = Rounds{.window = 2, .most = 3, .precondition = 8_MiB};
    const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    REQUIRE(outcome->cells.size() == 2);
    const CellResult& reads = outcome->cells[0];
    CHECK(reads.series.size() >= 2);
    CHECK(reads.series.size() <= 3);
    CHECK(reads.operations == 2 * 32); // operations of the window
    CHECK(reads.latency.count() == 2 * 32);
    CHECK(outcome->cells[1].evidence.sync_calls == 2); // one file in each round of the window
    // The results settled before the last round, or a finding reports that they did not. They may also settle in the
    // third round.
    CHECK((reads.series.size() == 3 || watcher.found(FindingKind::rate_unstable) == nullptr));
    CHECK(std::ranges::count(watcher.phases, "precondition") == 1);
    CHECK(control.bytes_done == control.bytes_total);
}

TEST_CASE("a resumed mix creates missing files") {
    Folder folder;
    JobControl control;
    Watcher watcher;
    const JobSpec job = mix_of({mixed("a", 1, 1, 64), mixed("b", 0, 1, 64)});
    const auto outcome =
        run_job(job, directory(folder.path()), {{.id = "a.read"}, {.id = "a.write"}}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    REQUIRE(outcome->cells.size() == 1);
    CHECK(outcome->cells[0].cell.id == "b.write");
}

TEST_CASE("an invalid mix is refused before any write") {
    Folder folder;
    const auto refused = [&](auto change) {
        JobSpec job = mix_of({mixed("rndrw", 3, 2, 64)});
        change(*job.as<MixJob>());
        JobControl control;
        Watcher watcher;
        const auto outcome = run_job(job, directory(folder.path()), {}, control, watcher);
        CHECK(folder.empty());
        CHECK(watcher.cells.empty());
        return reason(outcome);
    };
    CHECK(refused([](MixJob& m) { m.files = 0; }) == "a mix needs 1 to 4096 files and a cell");
    CHECK(refused([](MixJob& m) { m.file_size = 20_KiB; }) ==
          "cell rndrw: files must hold whole blocks, of 1 byte to 1 GiB");
    CHECK(refused([](MixJob& m) { m.cells[0].reads = m.cells[0].writes = 0; }) ==
          "cell rndrw: the cell neither reads nor writes; choose at least one block");
    CHECK(refused([](MixJob& m) { m.cells[0].on_new_files = true; }) ==
          "cell rndrw: new files can only be written in order");
    CHECK(refused([](MixJob& m) { m.cells.push_back(m.cells[0]); }) == "cell rndrw: the name is used twice");
    CHECK(refused([](MixJob& m) { m.rounds = Rounds{.window = 1, .most = 1, .precondition = {}}; }) ==
          "rounds need a window of at least 2, and at least as many rounds as the window");
    CHECK_THAT(refused([](MixJob& m) { m.file_size = Bytes{std::uint64_t{1} << 50}; }),
               ContainsSubstring("the test needs 4.50 PB; ") &&
                   ContainsSubstring(": free some space or choose a smaller span"));
}
