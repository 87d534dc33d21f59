// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig's ledger for coroutines: it writes on a thread of its own, so that a slow disk does not keep the board from
/// its heartbeat. Calls are performed in the order in which they were made; each is durable when its await returns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/async/work_thread.hpp"
#include "host/rig/port/rig_log.hpp"

namespace mediarig::rig {

class AsyncRigLog {
public:
    /// `log` is used on this object's thread alone. The loop of `executor` outlives this object.
    AsyncRigLog(std::shared_ptr<RigLog> log, boost::asio::any_io_executor executor);
    /// For a ledger that never waits, as one in memory: it is used on the loop, at once.
    explicit AsyncRigLog(RigLog& log);

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    // As in RigLog.
    [[nodiscard]] Answer<std::uint32_t> open(const std::string& board);
    [[nodiscard]] Answer<std::uint32_t> intend(const Intent& intent);
    [[nodiscard]] Answer<void> pass_over(std::uint32_t job);
    [[nodiscard]] Answer<void> settle(std::uint32_t job, LoggedJob::State state, rigproto::Fault fault,
                                      std::uint8_t detail);
    [[nodiscard]] Answer<std::vector<LoggedJob>> latest(std::size_t count);
    [[nodiscard]] Answer<void> keep(const LoggedEvent& event);
    [[nodiscard]] Answer<std::pair<std::uint32_t, std::uint32_t>> newest_event();
    [[nodiscard]] Answer<std::uint32_t> begin_epoch();

private:
    [[nodiscard]] Answer<void> write(WorkThread::Work work);
    template <class T>
    [[nodiscard]] Answer<T> ask(std::function<Result<T>()> work);

    std::shared_ptr<RigLog> log_;
    std::optional<WorkThread> thread_;
};

} // namespace mediarig::rig
