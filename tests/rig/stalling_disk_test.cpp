// SPDX-License-Identifier: GPL-3.0-or-later
/// While the disk of ledger and store completes no write for a long time, the rig's board still receives heartbeats.
#include <algorithm>
#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "host/store/async/async_store.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/memory_store.hpp"
#include "tests/rig/driver_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rig;
using rigproto::Op;

namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

/// Blocks a writing thread until it is released.
class Stall {
public:
    void hold() {
        std::unique_lock lock(mutex_);
        holds_ = true;
        released_.wait(lock, [&] { return may_go_on_; });
    }
    [[nodiscard]] bool holds() {
        const std::lock_guard lock(mutex_);
        return holds_;
    }
    void release() {
        const std::lock_guard lock(mutex_);
        may_go_on_ = true;
        released_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable released_;
    bool holds_{}, may_go_on_{};
};

class StallingRigLog final : public MemoryRigLog {
public:
    Stall stall;
    Result<std::uint32_t> intend(const Intent& intent) override {
        stall.hold();
        return MemoryRigLog::intend(intent);
    }
};

class StallingStore final : public store::MemoryStore {
public:
    Stall stall;
    Result<void> begin(const store::CampaignRecord& campaign) override {
        stall.hold();
        return MemoryStore::begin(campaign);
    }
};

/// Measures, while the object exists, by how much this machine delays the wake-up of a thread. Every heartbeat may be
/// late by this delay.
class WakeupLateness {
public:
    WakeupLateness()
        : thread_([this] {
              for (auto due = Steady::now(); !stop_;) {
                  due = std::max(due + 1ms, Steady::now());
                  std::this_thread::sleep_until(due);
                  longest_ = std::max<Milliseconds>(longest_, Steady::now() - due);
              }
          }) {}
    WakeupLateness(const WakeupLateness&) = delete;
    WakeupLateness& operator=(const WakeupLateness&) = delete;
    ~WakeupLateness() {
        if (thread_.joinable()) (void)longest();
    }
    /// Ends the measurement.
    Milliseconds longest() {
        stop_ = true;
        thread_.join();
        return longest_;
    }

private:
    std::atomic<bool> stop_{false};
    Milliseconds longest_{};
    std::thread thread_; // last member, since the thread uses the other members
};

/// Returns the longest interval between two of these times.
Milliseconds longest_gap(const std::vector<Steady::time_point>& times) {
    Milliseconds longest{};
    for (std::size_t i = 1; i < times.size(); ++i) longest = std::max<Milliseconds>(longest, times[i] - times[i - 1]);
    return longest;
}

} // namespace

TEST_CASE("a stalled ledger delays its job but no heartbeat") {
    DriverFixture fixture;
    const auto log = std::make_shared<StallingRigLog>();
    const auto executor = fixture.bench.io.get_executor();
    auto opened =
        fixture.bench.run(SerialBoard::open(executor, fixture.settings, std::make_shared<AsyncRigLog>(log, executor)));
    REQUIRE(reason(opened) == "success");
    fixture.rig = std::move(*opened);
    const auto homed = fixture.bench.begin(fixture.rig->home());
    fixture.bench.until([&] { return log->stall.holds(); });
    const auto before = fixture.board.count(Op::heartbeat);
    fixture.bench.until([&] { return fixture.board.count(Op::heartbeat) >= before + 4; });
    CHECK_FALSE(homed->has_value());
    CHECK(fixture.board.count(Op::home) == 0);
    log->stall.release();
    CHECK(reason(fixture.bench.finish(homed)) == "success");
    CHECK(fixture.board.count(Op::home) == 1);
}

TEST_CASE("a store that stalls for ten seconds delays no heartbeat by more than 50 ms") {
    DriverFixture fixture;
    fixture.open();
    StallingStore disk;
    store::AsyncStore kept_there(disk, fixture.bench.io.get_executor());
    std::vector<Steady::time_point> beats;
    fixture.board.loses = [&](const rigproto::Frame& frame) {
        if (frame.op == static_cast<std::uint8_t>(Op::heartbeat)) beats.push_back(Steady::now());
        return false;
    };
    const auto let_beat = [&](std::size_t count) {
        beats.clear();
        fixture.bench.until([&] { return beats.size() == count; });
        return longest_gap(beats);
    };
    constexpr std::size_t ten_seconds = 41; // number of heartbeats, 250 ms apart
    const auto without = let_beat(9);

    bool kept = false;
    boost::asio::co_spawn(
        fixture.bench.io,
        [&]() -> boost::asio::awaitable<void> {
            const store::CampaignRecord record;
            const auto begun = co_await kept_there.begin(record);
            kept = begun.has_value();
        },
        boost::asio::detached);
    fixture.bench.until([&] { return disk.stall.holds(); });
    // Only the loop releases the store: if the loop waited for the store, this call would never return.
    WakeupLateness lateness;
    const auto stalled = let_beat(ten_seconds);
    const Milliseconds late = lateness.longest();
    CHECK_FALSE(kept);
    // Two threads are woken for a heartbeat: the loop, and the board that receives it.
    CAPTURE(stalled.count(), late.count());
    CHECK(stalled <= 250ms + 50ms + 2 * late);
    disk.stall.release();
    fixture.bench.until([&] { return kept; });
    std::cout << "heartbeats every 250 ms: at most " << stalled.count() << " ms apart while the store stalled for "
              << std::chrono::duration<double>(beats.back() - beats.front()).count() << " s, " << without.count()
              << " ms without; this machine wakes a thread up to " << late.count() << " ms late\n";
}
