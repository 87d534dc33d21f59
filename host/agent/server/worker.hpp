// SPDX-License-Identifier: GPL-3.0-or-later
/// Executes one request at a time on its own thread. Only controller_connection.cpp uses it.
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

/// The active request.
struct Work {
    RpcRequest request;
    workload::JobControl control;
    std::unique_ptr<RunFeed> feed;
};

class Worker {
public:
    using Answer = tl::expected<nlohmann::json, RpcError>;

    /// The backend is created on the worker's thread at its first use. All references must outlive the worker.
    Worker(boost::asio::io_context& io, const MakeBackend& make, ClaimNumbers& numbers);

    /// Executes a request. Precondition: the worker is idle. `done` is called on the event loop.
    void begin(std::shared_ptr<Work> work, std::function<void(Answer)> done);
    /// Ends the active request as soon as possible.
    void cancel();
    /// Releases everything without waiting for a blocked volume. `done` is called on the event loop. No request may
    /// follow.
    void clean_up(std::function<void(Result<void>)> done);

    [[nodiscard]] const std::shared_ptr<Work>& at_work() const { return at_work_; }
    /// The claim held by this worker, which then serves only this claim.
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
    std::unique_ptr<MediaBackend> backend_; ///< used only by the thread
    std::unique_ptr<Methods> methods_;      ///< used only by the thread
    boost::asio::thread_pool thread_{1};    ///< last, so that it ends before the objects that it uses
};

} // namespace mediarig::agent
