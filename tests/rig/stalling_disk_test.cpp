// SPDX-License-Identifier: GPL-3.0-or-later
#include <boost/asio/co_spawn.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "tests/catch.hpp"
#include "tests/rig/desk.hpp"

using namespace mediarig;
using namespace mediarig::rig;
using rigproto::Op;

namespace {

/// A ledger on a disk that answers no write until it is released.
class StallingRigLog final : public MemoryRigLog {
public:
    Result<std::uint32_t> intend(const Intent& intent) override {
        std::unique_lock lock(mutex_);
        stalls_ = true;
        released_.wait(lock, [&] { return may_go_on_; });
        return MemoryRigLog::intend(intent);
    }
    [[nodiscard]] bool stalls() {
        const std::lock_guard lock(mutex_);
        return stalls_;
    }
    void release() {
        const std::lock_guard lock(mutex_);
        may_go_on_ = true;
        released_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable released_;
    bool stalls_{}, may_go_on_{};
};

} // namespace

TEST_CASE("a ledger that stalls delays the job that it is to hold, and no heartbeat") {
    Desk desk;
    const auto log = std::make_shared<StallingRigLog>();
    const auto executor = desk.bench.io.get_executor();
    auto opened =
        desk.bench.run(SerialBoard::open(executor, desk.settings, std::make_shared<AsyncRigLog>(log, executor)));
    REQUIRE(reason(opened) == "success");
    desk.rig = std::move(*opened);
    std::optional<Result<JobOutcome>> homed;
    boost::asio::co_spawn(executor, desk.rig->home(),
                          [&](const std::exception_ptr&, Result<JobOutcome> outcome) { homed = std::move(outcome); });
    desk.bench.until([&] { return log->stalls(); });
    const auto before = desk.board.count(Op::heartbeat);
    desk.bench.until([&] { return desk.board.count(Op::heartbeat) >= before + 4; });
    CHECK_FALSE(homed);
    CHECK(desk.board.count(Op::home) == 0);
    log->release();
    desk.bench.until([&] { return homed.has_value(); });
    CHECK(reason(*homed) == "success");
    CHECK(desk.board.count(Op::home) == 1);
}
