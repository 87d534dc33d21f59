// SPDX-License-Identifier: GPL-3.0-or-later
/// One request at a time on a thread of its own, with what that thread holds. Only controller_connection.cpp sees it.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/agent/protocol/message.hpp"
#include "host/agent/server/methods.hpp"
#include "host/agent/server/run_feed.hpp"

namespace mediarig::agent {

/// The request at work.
struct Work {
    Request request;
    workload::JobControl control;
    std::unique_ptr<RunFeed> feed;
};

class Worker {
public:
    using Answer = tl::expected<nlohmann::json, RpcError>;

    /// The backend is made on the worker's thread, when there is something to do. All references outlive the worker.
    Worker(boost::asio::io_context& io, const MakeBackend& make, ClaimNumbers& numbers);

    /// Nothing is at work. `done` is called on the loop.
    void begin(std::shared_ptr<Work> work, std::function<void(Answer)> done);
    /// Ends what is at work, as soon as it can be ended.
    void cancel();
    /// Releases everything, without waiting for a volume that hangs. `done` is called on the loop. Nothing is begun
    /// after it.
    void put_away(std::function<void(Result<void>)> done);

    [[nodiscard]] const std::shared_ptr<Work>& at_work() const { return at_work_; }
    /// The claim that it holds; it serves nothing else then.
    [[nodiscard]] const std::optional<std::uint64_t>& claim() const { return claim_; }

private:
    void finished(const std::shared_ptr<Work>& work, const Answer& answer);
    Methods& methods();

    boost::asio::io_context& io_;
    const MakeBackend& make_;
    ClaimNumbers& numbers_;
    std::atomic<bool> stop_work_{false};
    std::shared_ptr<Work> at_work_;
    std::optional<std::uint64_t> claim_;
    std::unique_ptr<MediaBackend> backend_; ///< of the thread alone
    std::unique_ptr<Methods> methods_;      ///< likewise
    boost::asio::thread_pool thread_{1};    ///< last, so that it ends before what it uses
};

} // namespace mediarig::agent
