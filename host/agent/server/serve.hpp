// SPDX-License-Identifier: GPL-3.0-or-later
/// One controller's connection: answers requests until the line ends, then puts everything away. Or one connection
/// after another, on a line that outlives its controllers.
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

/// Both ends of the line; may be one descriptor twice. Owned by serve(), which closes them.
struct LineEnds {
    int read{-1};
    int write{-1};
};

struct ServeOptions {
    /// SIGTERM, SIGINT and SIGHUP end the connection in order, SIGPIPE is ignored. Off where a test's own process
    /// serves, which then has to ignore SIGPIPE itself.
    bool handle_signals{true};
    std::chrono::milliseconds progress_interval{200};
    /// Bytes of unread output from which on the job waits, between two cells.
    std::size_t output_room{std::size_t{4} << 20};
    /// Requests that may wait for their turn.
    std::size_t most_waiting{64};
    /// Claims that can be held at one time, and requests that can be at work.
    std::size_t most_workers{80};
};

/// Blocking. This thread serves the line and the timers; each claim has a worker with a thread and a backend of its own
/// (`make`), and so has each other request that is at work. Requests about one claim, one target or one directory are
/// carried out in the order in which they came, all others side by side. `plugs` may be null. Returns when everything
/// is put away; fails with io_failed (the line broke) or with what could not be put away.
[[nodiscard]] Result<void> serve(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs,
                                 const ServeOptions& options);

/// As serve(), for a port that stays when its controller goes: a virtio port reads as ended while nobody is connected
/// at the other side. Then everything is put away, and the next controller is waited for. A controller that comes so
/// fast that the gap is not seen says `start_over` first: that ends the connection before it, and is answered when all
/// of that is put away, as the first line of the new connection and after a line end, so that no half message on either
/// way harms. Returns after a signal, or fails with io_failed where the line itself is broken.
[[nodiscard]] Result<void> serve_one_after_another(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs,
                                                   const ServeOptions& options);

/// The state of one controller's connection, on the line's thread. Only serve.cpp and controller_connection.cpp see
/// Asio.

/// What the end of the line means.
enum class LineLife : unsigned char {
    one_controller,   ///< its input ends when the controller does, and the connection with it
    many_controllers, ///< it reads as ended while nobody is connected; `start_over` is understood
};

class ControllerConnection {
public:
    /// `line` is open, non-blocking reads are possible, and stays owned by the caller until the connection owns it.
    ControllerConnection(boost::asio::io_context& io, LineEnds line, LineLife life, const MakeBackend& make,
                         media::HotplugMonitor* plugs, const ServeOptions& options);

    /// Starts reading and writing; io.run() then returns when everything is put away.
    void begin();
    /// Cancels what runs, forgets what waits, puts everything away. Idempotent. `cause` is what serve() returns, unless
    /// putting away fails.
    void end(Result<void> cause);
    [[nodiscard]] const Result<void>& outcome() const { return outcome_; }
    /// The id of the `start_over` that ended this connection: to be answered by the next one.
    [[nodiscard]] const std::optional<nlohmann::json>& start_over() const { return start_over_; }
    /// The first thing that is written, after the end of whatever line was cut off before.
    void begin_with(const Response& response);
    /// Whether another connection on the same line makes sense.
    [[nodiscard]] bool line_broke() const { return line_broke_; }

private:
    using Answer = tl::expected<nlohmann::json, RpcError>;

    boost::asio::awaitable<void> read();
    boost::asio::awaitable<void> write();
    boost::asio::awaitable<void> tell_progress(const Worker& worker, std::shared_ptr<Work> work);
    boost::asio::awaitable<void> tell_plugs();

    /// Nobody is at the other side yet.
    [[nodiscard]] bool waits_for_controller(const boost::system::error_code& stopped) const;
    void end_line(const char* what, const boost::system::error_code& stopped);
    void receive(const Frame& frame);
    void receive(Request request);
    [[nodiscard]] std::optional<RpcError> refusal_of(const Request& request);
    [[nodiscard]] bool cancel(const nlohmann::json& id);
    Answer answer_cancel(const nlohmann::json& params);

    /// Begins every request that waits for nothing but a worker.
    void work_on_next();
    /// The worker that is free for it; null while it has to wait for what came before it.
    [[nodiscard]] Worker* worker_for(std::deque<Request>::const_iterator request);
    [[nodiscard]] Worker* free_worker();
    void begin(Worker& worker, Request request);
    void finished(Worker& worker, const Work& work, Answer answer);
    void put_away(Worker& worker);
    void respond(const nlohmann::json& id, Answer answer);
    void wake_writer();

    boost::asio::io_context& io_;
    /// io.run() goes on while only the blocking thread has something to do.
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> until_put_away_;
    const LineLife life_;
    const ServeOptions options_;
    const MakeBackend& make_;
    media::HotplugMonitor* plugs_;
    ClaimNumbers numbers_;
    OutputQueue output_;
    LineFramer framer_;
    boost::asio::posix::stream_descriptor in_, out_;
    std::optional<boost::asio::posix::stream_descriptor> plugged_;
    boost::asio::steady_timer output_changed_; ///< never expires; cancelled to wake who waits for output or for room
    boost::asio::steady_timer next_look_;      ///< at a line to which nobody is connected
    std::deque<Request> waiting_;
    bool greeted_{false};
    bool ending_{false};
    std::size_t put_away_{}; ///< workers, so far
    bool line_broke_{false};
    std::optional<nlohmann::json> start_over_;
    Result<void> outcome_;
    /// Made when needed, and kept: what a thread has started may end with it. Last, so that their threads end before
    /// what they use.
    std::vector<std::unique_ptr<Worker>> workers_;
};

} // namespace mediarig::agent
