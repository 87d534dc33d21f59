// SPDX-License-Identifier: GPL-3.0-or-later
/// A store on a separate thread: the loop continues during a write, and a stored record is durable.
#include "host/store/async/async_store.hpp"

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "host/base/async/work_thread.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/memory_store.hpp"

using namespace mediarig;
using namespace mediarig::store;
namespace asio = boost::asio;

namespace {

/// A disk that stalls until released, and counts the requested transactions.
class StallingStore : public MemoryStore {
public:
    Result<void> begin(const CampaignRecord& campaign) override {
        std::unique_lock lock(mutex_);
        stands_still_ = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return goes_on_; });
        return MemoryStore::begin(campaign);
    }
    Result<void> together(const std::function<Result<void>()>& writes) override {
        ++groups;
        return MemoryStore::together(writes);
    }
    void go_on() {
        const std::lock_guard lock(mutex_);
        goes_on_ = true;
        changed_.notify_all();
    }
    void wait_until_it_stands_still() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stands_still_; });
    }
    std::atomic<unsigned> groups{0};

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool goes_on_{false}, stands_still_{false};
};

CampaignRecord campaign() {
    CampaignRecord record;
    record.id = "c1";
    return record;
}

StepRecord step(const std::string& key) {
    return {.key = key, .state = StepState::done, .detail = {}, .at = {}};
}

using Kept = asio::awaitable<Result<void>>;

/// Runs the loop until all `writes` have ended. Returns the results in the order of `writes`.
std::vector<Result<void>> outcomes(asio::io_context& io, std::vector<Kept> writes) {
    std::vector<Result<void>> results(writes.size());
    for (std::size_t i = 0; i < writes.size(); ++i)
        asio::co_spawn(
            io,
            [](Kept write, Result<void>& result) -> asio::awaitable<void> { result = co_await std::move(write); }(
                                                     std::move(writes[i]), results[i]),
            asio::detached);
    io.restart();
    io.run();
    return results;
}

} // namespace

TEST_CASE("a stalled store does not delay timers of the loop") {
    asio::io_context io;
    StallingStore disk;
    AsyncStore store(disk, io.get_executor());
    bool kept = false;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            const auto begun = co_await store.begin(campaign());
            kept = begun.has_value();
        },
        asio::detached);
    // Only the loop releases the disk: if the loop waited for the disk, this test would never end.
    unsigned beats = 0;
    asio::co_spawn(
        io,
        [&]() -> asio::awaitable<void> {
            asio::steady_timer timer(io);
            while (++beats < 50) {
                timer.expires_after(std::chrono::milliseconds(1));
                co_await timer.async_wait(asio::use_awaitable);
                CHECK_FALSE(kept);
            }
            disk.go_on();
        },
        asio::detached);
    io.run();
    CHECK(kept);
    CHECK(beats == 50);
}

TEST_CASE("AsyncStore groups waiting writes and keeps their order") {
    asio::io_context io;
    StallingStore disk;
    AsyncStore store(disk, io.get_executor());
    std::vector<Kept> writes;
    writes.push_back(store.begin(campaign()));
    disk.wait_until_it_stands_still();
    for (const char* key : {"a", "b", "c"}) writes.push_back(store.journal("c1", step(key)));
    disk.go_on();
    for (const Result<void>& kept : outcomes(io, std::move(writes))) CHECK(kept);
    CHECK(disk.groups == 1);
    CHECK(disk.log == std::vector<std::string>{"begin", "step a done", "step b done", "step c done"});
}

TEST_CASE("one failed write does not fail the other writes of its group") {
    asio::io_context io;
    StallingStore disk;
    AsyncStore store(disk, io.get_executor());
    std::vector<Kept> writes;
    writes.push_back(store.begin(campaign()));
    disk.wait_until_it_stands_still();
    disk.fails_from = 2;
    for (const char* key : {"a", "b", "c"}) writes.push_back(store.journal("c1", step(key)));
    disk.go_on();
    const auto kept = outcomes(io, std::move(writes));
    CHECK(kept[0]);
    CHECK(kept[1]);
    REQUIRE_FALSE(kept[2]);
    CHECK(kept[2].error().code == Errc::store_failed);
    CHECK_FALSE(kept[3]);
    CHECK(disk.log == std::vector<std::string>{"begin", "step a done"});
}

TEST_CASE("an exception in a write fails only that write, and later writes succeed") {
    asio::io_context io;
    WorkThread thread(io.get_executor(), [](std::vector<WorkThread::Job>& jobs) {
        for (const WorkThread::Job& job : jobs) job.finish(job.work());
    });
    std::vector<Kept> writes;
    writes.push_back(thread.perform([]() -> Result<void> { throw std::runtime_error("no memory"); }));
    writes.push_back(thread.perform([]() -> Result<void> { return {}; }));
    const auto kept = outcomes(io, std::move(writes));
    CHECK(kept[0].error() == Error{Errc::store_failed, "could not run:  no memory"});
    CHECK(kept[1]);
}

TEST_CASE("a read sees every earlier write") {
    asio::io_context io;
    MemoryStore disk;
    AsyncStore store(disk, io.get_executor());
    auto begun = store.begin(campaign());
    auto written = store.journal("c1", step("a"));
    Result<std::map<std::string, StepRecord>> steps = fail(Errc::io_failed, "the steps were not read");
    asio::co_spawn(
        io, [&]() -> asio::awaitable<void> { steps = co_await store.steps("c1"); }, asio::detached);
    std::vector<Kept> writes;
    writes.push_back(std::move(begun));
    writes.push_back(std::move(written));
    for (const Result<void>& kept : outcomes(io, std::move(writes))) CHECK(kept);
    REQUIRE(steps);
    CHECK(steps->contains("a"));
}

TEST_CASE("a write that no caller awaits is stored before the store ends") {
    asio::io_context io;
    MemoryStore disk;
    {
        AsyncStore store(disk, io.get_executor());
        (void)store.begin(campaign());
        (void)store.journal("c1", step("a"));
    }
    CHECK(disk.log.size() == 2);
}
