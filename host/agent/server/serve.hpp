// SPDX-License-Identifier: GPL-3.0-or-later
/// One controller's connection: answers requests until the connection ends, then cleans up. Alternatively serves
/// several connections in sequence on a port that outlives its controllers.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/agent/protocol/message.hpp"
#include "host/agent/server/media_backend.hpp"
#include "host/agent/server/output_queue.hpp"
#include "host/agent/server/worker.hpp"
#include "host/base/async/line_framer.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"

namespace mediarig::agent {

/// Both ends of the connection; may be the same descriptor. serve() takes ownership and closes them.
struct LineEnds {
    int read{-1};
    int write{-1};
};

struct ServeOptions {
    /// SIGTERM, SIGINT and SIGHUP end the connection properly, SIGPIPE is ignored. A test that serves in its own
    /// process disables this; the test must then ignore SIGPIPE.
    bool handle_signals{true};
    std::chrono::milliseconds progress_interval{200};
    /// Limit of unread output in bytes; above this limit the job waits between two cells.
    std::size_t output_limit{std::size_t{4} << 20};
    /// Maximum number of queued requests.
    std::size_t most_waiting{64};
    /// Maximum number of simultaneous claims and active requests.
    std::size_t most_workers{80};
};

/// Blocking. This thread serves the connection and the timers; each claim and each other active request has a worker
/// with its own thread and backend (`make`). Requests for one claim, target or directory run in the order of arrival,
/// all others in parallel. `plugs` may be null. Returns when everything is released; fails with io_failed (the
/// connection failed) or with the error of the cleanup.
[[nodiscard]] Result<void> serve(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs,
                                 const ServeOptions& options);

/// Like serve(), for a port that stays when its controller disconnects: a virtio port reads as ended while it is
/// disconnected. The server then cleans up and waits for the next controller. If a controller reconnects before the
/// server notices the interruption, it first sends `start_over`: this ends the previous connection. The answer is sent
/// after the cleanup, as the first line of the new connection and after a line end, so that incomplete messages in
/// either direction do no harm. Returns after a signal, or fails with io_failed if the port itself fails.
[[nodiscard]] Result<void> serve_one_after_another(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs,
                                                   const ServeOptions& options);

/// Meaning of the end of input.
enum class LineLife : unsigned char {
    one_controller,   ///< the input ends with the controller, and so does the connection
    many_controllers, ///< the port reads as ended while disconnected; `start_over` is supported
};

/// The state of one controller's connection, used on the connection's thread. Only serve.cpp and
/// controller_connection.cpp use Asio.
class ControllerConnection {
public:
    /// `line` must be open and support non-blocking reads; the caller owns it until the connection takes ownership.
    ControllerConnection(boost::asio::io_context& io, LineEnds line, LineLife life, const MakeBackend& make,
                         media::HotplugMonitor* plugs, const ServeOptions& options);

    /// Starts reading and writing; io.run() then returns when everything is released.
    void begin();
    /// Cancels active requests, drops queued requests and releases everything. Idempotent. `cause` is the result of
    /// serve() unless the cleanup fails.
    void end(Result<void> cause);
    [[nodiscard]] const Result<void>& outcome() const { return outcome_; }
    /// Id of the `start_over` that ended this connection; the next connection must answer it.
    [[nodiscard]] const std::optional<nlohmann::json>& start_over() const { return start_over_; }
    /// Sends the first output, after a line end that completes an interrupted line.
    void begin_with(const Response& response);
    /// False if another connection on the same port is still possible.
    [[nodiscard]] bool line_broke() const { return line_broke_; }

private:
    using Answer = tl::expected<nlohmann::json, RpcError>;

    boost::asio::awaitable<void> read();
    boost::asio::awaitable<void> write();
    boost::asio::awaitable<void> report_progress(const Worker& worker, std::shared_ptr<Work> work);
    boost::asio::awaitable<void> report_hotplug();

    /// True while no controller is connected.
    [[nodiscard]] bool waits_for_controller(const boost::system::error_code& stopped) const;
    void end_line(const char* what, const boost::system::error_code& stopped);
    void receive(const FramedLine& frame);
    void receive(RpcRequest request);
    [[nodiscard]] std::optional<RpcError> refusal_of(const RpcRequest& request);
    [[nodiscard]] bool cancel(const nlohmann::json& id);
    Answer answer_cancel(const nlohmann::json& params);

    /// Starts every request that waits only for a worker.
    void start_ready_requests();
    /// The worker for the request; null while an earlier request must finish first.
    [[nodiscard]] Worker* worker_for(std::deque<RpcRequest>::const_iterator request);
    [[nodiscard]] Worker* free_worker();
    void begin(Worker& worker, RpcRequest request);
    void finished(Worker& worker, const Work& work, Answer answer);
    void clean_up(Worker& worker);
    void respond(const nlohmann::json& id, Answer answer);
    void wake_writer();

    boost::asio::io_context& io_;
    /// Keeps io.run() alive while only the blocking threads have work.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> until_clean_;
    const LineLife life_;
    const ServeOptions options_;
    const MakeBackend& make_;
    media::HotplugMonitor* plugs_;
    ClaimNumbers numbers_;
    OutputQueue output_;
    LineFramer framer_;
    boost::asio::posix::stream_descriptor in_, out_;
    std::optional<boost::asio::posix::stream_descriptor> plugged_;
    boost::asio::steady_timer output_changed_; ///< never expires; cancelled to wake coroutines that wait for output or
                                               ///< for free space
    boost::asio::steady_timer next_look_;      ///< for polling a disconnected port
    std::deque<RpcRequest> waiting_;
    bool greeted_{false};
    bool ending_{false};
    std::size_t clean_up_{}; ///< number of workers that have cleaned up
    bool line_broke_{false};
    std::optional<nlohmann::json> start_over_;
    Result<void> outcome_;
    /// Workers are created on demand and kept, because the child processes of a thread may end with it. Declared last,
    /// so that the threads end before the objects that they use.
    std::vector<std::unique_ptr<Worker>> workers_;
};

} // namespace mediarig::agent
