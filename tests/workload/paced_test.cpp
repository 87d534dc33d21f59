// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/sweep.hpp"

#include <cerrno>
#include <thread>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using std::chrono::milliseconds;

namespace {

/// Takes some milliseconds for each request and records it.
class SlowFile final : public MediumFile {
public:
    CachePolicy policy{CachePolicy::dropped};
    int write_error{0};
    mutable std::vector<std::string> log;

    int fd() const override { return -1; }
    CachePolicy used() const override { return policy; }
    bool direct_refused() const override { return false; }
    Result<void> disable_direct() override { return {}; }
    Result<Bytes> size() const override { return 1_MiB; }
    bool served_by_user_space() const override { return false; }
    TransferResult write(std::span<const std::byte> bytes, std::uint64_t) override {
        log.emplace_back("write");
        return {write_error == 0 ? bytes.size() : 0, write_error};
    }
    TransferResult read(std::span<std::byte> bytes, std::uint64_t) override {
        log.emplace_back("read");
        std::this_thread::sleep_for(milliseconds(2));
        return {bytes.size(), 0};
    }
    int flush() const override {
        log.emplace_back("flush");
        return 0;
    }
    CacheDrop drop_cache(Bytes) const override { return {}; }
    void expect_random() const override { log.emplace_back("random"); }
    int forget(std::uint64_t, Bytes length) const override {
        log.push_back("forget " + std::to_string(length.count));
        return 0;
    }
};

struct Paced {
    Result<CellEnd> end{CellEnd::volume};
    CellResult result;
    IoErrors errors{OnIoError::go_on, LossTest([] { return false; })};
};

void run(Paced& paced, SlowFile& file, Access access, std::uint64_t requests, Pace pace, JobControl& control) {
    const TickClock clock = TickClock::monotonic();
    OffsetStream offsets(access, 4_KiB, 1_MiB, 1);
    const PayloadSource payload({}, 1);
    Recorder recorder(clock, 4_KiB, Recorder::RawLog::off, requests);
    const CellSpec cell = {.access = access, .block = 4_KiB};
    const auto ran = run_paced(file, SyncLevel::at_end, pace,
                               {.cell = cell,
                                .operations = requests,
                                .offsets = offsets,
                                .payload = payload,
                                .recorder = recorder,
                                .errors = paced.errors,
                                .control = control});
    paced.end = ran.transform([](const CellRunEnd& end) { return end.end; });
    std::move(recorder).deliver(paced.result);
}

} // namespace

TEST_CASE("paced requests: rates exclude warm-up requests and idle time") {
    SlowFile file;
    Paced paced;
    JobControl control;
    const auto begin = std::chrono::steady_clock::now();
    run(paced, file, Access::random_read, 4, {.interval = milliseconds(30), .warm_up = 1}, control);
    CHECK(std::chrono::steady_clock::now() - begin >= milliseconds(4 * 30));
    CHECK(paced.end == CellEnd::volume);
    CHECK(paced.result.operations == 4);
    CHECK(paced.result.moved == 16_KiB);
    CHECK(control.bytes_done == (16_KiB).count);
    CHECK(std::ranges::count(file.log, "read") == 5);
    // The time of four requests without the intervals between them.
    CHECK(paced.result.elapsed >= milliseconds(8));
    CHECK(static_cast<double>(paced.result.elapsed.count()) ==
          Approx(static_cast<double>(paced.result.latency.summary().sum_ns)).epsilon(0.01));
    // The idle time is not part of the payload generation time either.
    CHECK(paced.result.prepare_time == std::chrono::nanoseconds(0));
}

TEST_CASE("paced reads disable read-ahead and drop the range from the page cache before each request") {
    SlowFile file;
    Paced paced;
    JobControl control;
    run(paced, file, Access::random_read, 2, {}, control);
    CHECK(file.log == std::vector<std::string>{"random", "forget 4096", "read", "forget 4096", "read"});
    SlowFile cached;
    cached.policy = CachePolicy::cached;
    run(paced, cached, Access::random_read, 1, {}, control);
    CHECK(cached.log == std::vector<std::string>{"read"});
}

TEST_CASE("the latency of a paced write includes its flush") {
    SlowFile file;
    Paced paced;
    JobControl control;
    run(paced, file, Access::random_write, 2, {}, control);
    CHECK(file.log == std::vector<std::string>{"random", "write", "flush", "write", "flush"});
}

TEST_CASE("a failed paced request is recorded as an error at its offset and has no latency") {
    SlowFile file;
    file.write_error = EIO;
    Paced paced;
    JobControl control;
    run(paced, file, Access::random_write, 3, {}, control);
    CHECK(paced.end == CellEnd::volume);
    CHECK(paced.result.operations == 0);
    CHECK(paced.errors.count() == 3);
    paced.errors = IoErrors(OnIoError::stop, LossTest([] { return false; }));
    run(paced, file, Access::random_write, 3, {}, control);
    CHECK(paced.end == CellEnd::error);
}

TEST_CASE("a cancel request ends the wait for the next paced request") {
    SlowFile file;
    Paced paced;
    JobControl control;
    std::thread person([&] {
        std::this_thread::sleep_for(milliseconds(50));
        control.cancel = true;
    });
    const auto begin = std::chrono::steady_clock::now();
    run(paced, file, Access::random_read, 3, {.interval = std::chrono::hours(1), .warm_up = 0}, control);
    person.join();
    CHECK(paced.end == CellEnd::cancelled);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(1));
}
