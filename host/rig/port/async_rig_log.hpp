// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig's ledger for coroutines. It writes in its own thread, so that a slow disk does not delay the heartbeat of the
/// board. Calls are executed in order; each is durable when its await returns.
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
    /// `log` is used only in this object's thread. The loop of `executor` outlives this object.
    AsyncRigLog(std::shared_ptr<RigLog> log, boost::asio::any_io_executor executor);
    /// For a ledger that never blocks, such as one in memory: it is called directly on the loop.
    explicit AsyncRigLog(RigLog& log);

    template <class T>
    using Answer = boost::asio::awaitable<Result<T>>;

    // See RigLog.
    [[nodiscard]] Answer<std::uint32_t> open(const std::string& board);
    [[nodiscard]] Answer<std::uint32_t> intend(const Intent& intent);
    [[nodiscard]] Answer<void> pass_over(std::uint32_t job);
    [[nodiscard]] Answer<void> resolve(std::uint32_t job, LoggedJob::State state, rigproto::Fault fault,
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
