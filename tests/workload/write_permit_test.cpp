// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/write_permit.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "host/workload/io/linux/backing_device.hpp"
#include "host/workload/io/linux/linux_system.hpp"
#include "tests/catch.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr const char* exchanged = "the device is another one than was claimed";

struct CountedDisk {
    explicit CountedDisk(Bytes size) {
        make_file(folder.path("disk"), size);
        loop = Loop::over(folder.path("disk"));
    }
    Bytes written() const { return LinuxBackingDevice::of(device(*loop)).totals()->written; }
    Folder folder;
    std::optional<Loop> loop;
};

JobSpec probe_of() {
    JobSpec job;
    job.suite = "probe";
    job.kind = ProbeJob{};
    job.as<ProbeJob>()->assumed_cache = 1_MiB;
    return job;
}

JobSpec endless_writing(Engine engine) {
    JobSpec job = sweep_of({cell_of(Access::sequential_write, 64_KiB, Bytes{std::uint64_t{1} << 50})}, 8_MiB);
    job.engine = engine;
    if (engine == Engine::uring) job.as<SweepJob>()->cells[0].queue_depth = 4;
    return job;
}

#define NEED_DISK(disk)                                       \
    if (!are_root()) MEDIARIG_SKIP("loop devices need root"); \
    if (!(disk).loop) MEDIARIG_SKIP("no loop device is available")

} // namespace

TEST_CASE("a write permit is requested when due, at most once per second, and a refusal is final") {
    int asked = 0;
    bool allow = true;
    WritePermit permit(linux_system().clock(), [&]() -> Result<void> {
        ++asked;
        if (!allow) return fail(Errc::refused, exchanged);
        return {};
    });
    for (int i = 0; i < 1000; ++i) CHECK(permit.check());
    CHECK(asked <= 2);
    allow = false;
    while (permit.check()) std::this_thread::sleep_for(20ms);
    allow = true;
    const int then = asked;
    CHECK(reason(permit.check()) == exchanged);
    CHECK(asked == then);

    WritePermit none;
    CHECK_FALSE(none.due(linux_system().clock().now()));
    CHECK(none.check());
}

TEST_CASE("a job writes nothing if its first request for a write permit is refused") {
    CountedDisk disk(16_MiB);
    NEED_DISK(disk);
    std::vector<JobSpec> jobs{verify_of(0_B), probe_of()};
    for (const Engine engine : {Engine::psync, Engine::uring}) jobs.push_back(endless_writing(engine));
    for (const JobSpec& job : jobs) {
        JobControl control;
        control.may_write =
            WritePermit(linux_system().clock(), []() -> Result<void> { return fail(Errc::refused, exchanged); });
        Watcher watcher;
        const Bytes before = disk.written();
        const auto outcome = run_job(job, device(*disk.loop), {}, control, watcher);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error() == Error{Errc::refused, exchanged});
        CHECK(disk.written() == before);
        for (const auto& finding : watcher.findings) CHECK(finding.severity != measure::Severity::fault);
    }
}

TEST_CASE("a write permit refused during a cell ends the job without further writes") {
    for (const Engine engine : {Engine::psync, Engine::uring}) {
        CountedDisk disk(8_MiB);
        NEED_DISK(disk);
        JobControl control;
        Watcher watcher;
        bool in_cell = false;
        watcher.when_phase = [&](const std::string& name) { in_cell = name.starts_with("test."); };
        std::optional<Bytes> at_refusal;
        std::vector<Clock::time_point> asked;
        control.may_write = WritePermit(linux_system().clock(), [&]() -> Result<void> {
            asked.push_back(Clock::now());
            if (!in_cell || asked.size() < 3) return {};
            at_refusal = disk.written();
            return fail(Errc::refused, exchanged);
        });
        const auto outcome = run_job(endless_writing(engine), device(*disk.loop), {}, control, watcher);
        REQUIRE_FALSE(outcome);
        // The error is not `refused`, which would mean that nothing was written.
        CHECK(outcome.error() ==
              Error{Errc::no_medium, std::string("the medium was removed or exchanged during the test: ") + exchanged});
        CHECK(watcher.found(measure::FindingKind::medium_lost));
        REQUIRE(at_refusal);
        // io_uring completes the transfers in flight; no further transfer is submitted.
        const Bytes in_flight = engine == Engine::uring ? 64_KiB * 4 : 0_B;
        CHECK(disk.written() <= *at_refusal + in_flight);
        for (std::size_t i = 1; i < asked.size(); ++i) CHECK(asked[i] - asked[i - 1] >= WritePermit::interval);
    }
}

TEST_CASE("measured times exclude requests for the write permit, and a reading cell requests no permit") {
    CountedDisk disk(8_MiB);
    NEED_DISK(disk);
    constexpr auto slow = 200ms;
    int asked = 0;
    const auto permit = [&] {
        return WritePermit(linux_system().clock(), [&]() -> Result<void> {
            ++asked;
            std::this_thread::sleep_for(slow);
            return {};
        });
    };
    SECTION("a writing cell") {
        JobSpec job = endless_writing(Engine::psync);
        job.as<SweepJob>()->cells[0].time_limit = 2500ms;
        int before_cell = 0;
        Clock::time_point begin;
        Clock::duration wall{};
        Watcher watcher;
        watcher.when_phase = [&](const std::string& name) {
            if (!name.starts_with("test.")) return;
            before_cell = asked;
            begin = Clock::now();
        };
        watcher.when_cell = [&](const CellResult&) { wall = Clock::now() - begin; };
        JobControl control;
        control.may_write = permit();
        REQUIRE(reason(run_job(job, device(*disk.loop), {}, control, watcher)) == "success");
        const int in_cell = asked - before_cell;
        CHECK(in_cell >= 1);
        CHECK(watcher.cells.at(0).prepare_time >= slow * in_cell);
        CHECK(watcher.cells.at(0).elapsed <= wall - slow * in_cell);
    }
    SECTION("verify") {
        Watcher watcher;
        Clock::time_point begin;
        Clock::duration wall{};
        watcher.when_phase = [&](const std::string& name) {
            if (name == "verify.write") begin = Clock::now();
            if (name == "verify.read") wall = Clock::now() - begin;
        };
        JobControl control;
        control.may_write = permit();
        REQUIRE(reason(run_job(verify_of(0_B), device(*disk.loop), {}, control, watcher)) == "success");
        CHECK(asked >= 1);
        CHECK(watcher.cells.at(0).elapsed <= wall - slow * asked);
    }
    SECTION("a reading cell") {
        JobSpec job = sweep_of({cell_of(Access::random_read, 64_KiB, Bytes{std::uint64_t{1} << 50})}, 8_MiB);
        job.as<SweepJob>()->cells[0].time_limit = 1500ms;
        Watcher watcher;
        int before_cell = 0;
        watcher.when_phase = [&](const std::string& name) {
            if (name.starts_with("test.")) before_cell = asked;
        };
        JobControl control;
        control.may_write = permit();
        REQUIRE(reason(run_job(job, device(*disk.loop), {}, control, watcher)) == "success");
        CHECK(before_cell >= 1);
        CHECK(asked == before_cell);
    }
}

TEST_CASE("a job runs on a device that the caller has opened exclusively, and the device stays exclusively opened") {
    CountedDisk disk(16_MiB);
    NEED_DISK(disk);
    const int held = ::open(disk.loop->node().c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
    REQUIRE(held >= 0);
    JobTarget target = device(*disk.loop);
    target.device_fd = held;
    for (const JobSpec& job :
         {verify_of(0_B), probe_of(), sweep_of({cell_of(Access::random_write, 4_KiB, 1_MiB)}, 8_MiB)}) {
        JobControl control;
        Watcher watcher;
        int second = 0;
        watcher.when_phase = [&](const std::string&) {
            const int fd = ::open(disk.loop->node().c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
            if (fd >= 0) ::close(fd);
            second = fd >= 0 ? 0 : errno;
        };
        CHECK(reason(run_job(job, target, {}, control, watcher)) == "success");
        CHECK(second == EBUSY);
    }
    ::close(held);
}
