// SPDX-License-Identifier: GPL-3.0-or-later
/// The state of one controller's visit, on the line's thread. Only serve.cpp and visit.cpp see Asio.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "host/agent/protocol/line_framer.hpp"
#include "host/agent/protocol/message.hpp"
#include "host/agent/server/methods.hpp"
#include "host/agent/server/output_queue.hpp"
#include "host/agent/server/run_feed.hpp"
#include "host/agent/server/serve.hpp"

namespace mediarig::agent {

/// What the end of the line means.
enum class LineLife : unsigned char {
    one_controller,   ///< its input ends when the controller does, and the visit with it
    many_controllers, ///< it reads as ended while nobody is connected; `start_over` is understood
};

class Visit {
public:
    /// `line` is open, non-blocking reads are possible, and stays owned by the caller until the visit owns it.
    Visit(boost::asio::io_context& io, LineEnds line, LineLife life, MediaBackend& backend,
          std::atomic<bool>& stop_work, media::PlugMonitor* plugs, const ServeOptions& options);

    /// Starts reading and writing; io.run() then returns when everything is put away.
    void begin();
    /// Cancels what runs, forgets what waits, puts everything away. Idempotent. `cause` is what serve() returns, unless
    /// putting away fails.
    void end(Result<void> cause);
    [[nodiscard]] const Result<void>& outcome() const { return outcome_; }
    /// The id of the `start_over` that ended this visit: to be answered by the next one.
    [[nodiscard]] const std::optional<nlohmann::json>& start_over() const { return start_over_; }
    /// The first thing that is written, after the end of whatever line was cut off before.
    void begin_with(const Response& response);
    /// Whether another visit on the same line makes sense.
    [[nodiscard]] bool line_broke() const { return line_broke_; }

private:
    /// The request at work on the blocking thread.
    struct Work {
        Request request;
        workload::JobControl control;
        std::unique_ptr<RunFeed> feed;
    };
    using Answer = tl::expected<nlohmann::json, RpcError>;

    boost::asio::awaitable<void> read();
    boost::asio::awaitable<void> write();
    boost::asio::awaitable<void> tell_progress(std::shared_ptr<Work> work);
    boost::asio::awaitable<void> tell_plugs();

    /// Nobody is at the other side yet.
    [[nodiscard]] bool waits_for_controller(const boost::system::error_code& stopped) const;
    void end_line(const char* what, const boost::system::error_code& stopped);
    void receive(const Frame& frame);
    void receive(Request request);
    [[nodiscard]] std::optional<RpcError> refusal_of(const Request& request);
    [[nodiscard]] bool cancel(const nlohmann::json& id);
    Answer answer_cancel(const nlohmann::json& params);

    void work_on_next();
    void finished(const Work& work, Answer answer);
    void put_away();
    void respond(const nlohmann::json& id, Answer answer);
    void wake_writer();

    boost::asio::io_context& io_;
    /// io.run() goes on while only the blocking thread has something to do.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> until_put_away_;
    const LineLife life_;
    const ServeOptions options_;
    std::atomic<bool>& stop_work_;
    media::PlugMonitor* plugs_;
    Methods methods_;
    OutputQueue output_;
    LineFramer framer_;
    boost::asio::posix::stream_descriptor in_, out_;
    std::optional<boost::asio::posix::stream_descriptor> plugged_;
    boost::asio::steady_timer output_changed_; ///< never expires; cancelled to wake who waits for output or for room
    boost::asio::steady_timer progress_due_;
    boost::asio::steady_timer next_look_; ///< at a line to which nobody is connected
    std::deque<Request> waiting_;
    std::shared_ptr<Work> at_work_;
    bool greeted_{false};
    bool ending_{false};
    bool putting_away_{false};
    bool line_broke_{false};
    std::optional<nlohmann::json> start_over_;
    Result<void> outcome_;
    boost::asio::thread_pool blocking_{1}; ///< last, so that its thread ends before what it uses
};

} // namespace mediarig::agent
