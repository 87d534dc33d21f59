// SPDX-License-Identifier: GPL-3.0-or-later
#include <thread>

#include "tests/catch.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace {

/// Cancels `job` once it has moved `after` bytes, from another thread, as an agent does.
struct CancelledRun {
    Result<JobOutcome> outcome;
    std::uint64_t moved_after_asking;
};
CancelledRun cancel_after(const JobSpec& job, const JobTarget& target, std::uint64_t after, Watcher& watcher) {
    JobControl control;
    std::uint64_t when_asked = 0;
    std::thread user([&] {
        while (control.bytes_done.load() < after) std::this_thread::yield();
        control.cancel.store(true);
        when_asked = control.bytes_done.load();
    });
    auto outcome = run_job(job, target, {}, control, watcher);
    user.join();
    return {std::move(outcome), control.bytes_done.load() - when_asked};
}

} // namespace

TEST_CASE("a cancelled sweep keeps its finished cells, drops the partial one and removes its file") {
    Folder folder;
    for (const Engine engine : {Engine::psync, Engine::uring}) {
        JobSpec job = sweep_of({cell_of(Access::sequential_write, 64_KiB, 1_MiB),
                                cell_of(Access::random_read, 4_KiB, {std::uint64_t{1} << 50})},
                               1_MiB);
        job.engine = engine;
        Watcher watcher;
        const auto run = cancel_after(job, directory(folder.path()), (3_MiB).count, watcher);
        REQUIRE_FALSE(run.outcome);
        CHECK(run.outcome.error().code == Errc::cancelled);
        CHECK(reason(run.outcome) == "cancelled in cell test.random_read.4096; finished cells are kept");
        REQUIRE(watcher.cells.size() == 1);
        CHECK(watcher.cells[0].cell.id == "test.seq_write.65536");
        // psync finishes its batch, and io_uring finishes the transfers in flight. No further transfer is started.
        CHECK(run.moved_after_asking <= 2 * (1_MiB).count);
        CHECK(folder.empty());
    }
}

TEST_CASE("a job can be cancelled during the layout of its file") {
    Folder folder;
    const JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, 1_MiB)}, 512_MiB);
    Watcher watcher;
    const auto run = cancel_after(job, directory(folder.path()), (1_MiB).count, watcher);
    CHECK(reason(run.outcome) == "cancelled while the test file was laid out; finished cells are kept");
    CHECK(run.moved_after_asking <= 2 * (1_MiB).count);
    CHECK(folder.empty());
}

TEST_CASE("verify can be cancelled while it writes or reads") {
    Folder folder;
    for (const std::uint64_t after : {(2_MiB).count, (66_MiB).count}) {
        Watcher watcher;
        const auto run = cancel_after(verify_of(64_MiB), directory(folder.path()), after, watcher);
        REQUIRE_FALSE(run.outcome);
        CHECK(run.outcome.error().code == Errc::cancelled);
        CHECK(folder.empty());
        CHECK(watcher.cells.size() == (after > (64_MiB).count ? 1 : 0));
    }
}

TEST_CASE("a job cancelled before its start writes nothing and removes its folder") {
    Folder folder;
    JobControl control;
    control.cancel = true;
    Watcher watcher;
    const auto outcome = run_job(sweep_of({cell_of(Access::random_read, 4_KiB, 1_MiB)}, 1_MiB),
                                 directory(folder.path()), {}, control, watcher);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::cancelled);
    CHECK(control.bytes_done == 0);
    CHECK(folder.empty());
}
