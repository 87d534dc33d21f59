// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/serve.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <utility>

#include "host/base/async/as_values.hpp"
#include "host/base/text.hpp"

namespace mediarig::agent {
namespace {

namespace asio = boost::asio;

/// Refuse a regular file: its end would be the end of the connection, which cancels the requests in the file.
Result<void> check_line(LineEnds line) {
    struct stat status {};
    if (::fstat(line.read, &status) != 0 || ::fcntl(line.write, F_GETFD) < 0)
        return fail(Errc::io_failed, "the connection is not open");
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return fail(Errc::bad_request,
                    "a file cannot be a connection: give the agent a pipe, a socket or a character device");
    return {};
}

void close_both(LineEnds line) {
    ::close(line.read);
    if (line.write != line.read) ::close(line.write);
}

/// Duplicates the descriptor: reading and writing are awaited separately, but epoll accepts each descriptor only once.
LineEnds copy_of(LineEnds line) {
    return {::fcntl(line.read, F_DUPFD_CLOEXEC, 3), ::fcntl(line.write, F_DUPFD_CLOEXEC, 3)};
}

/// Environment of a connection: kind of transport, backend and options.
struct Setting {
    LineLife life{};
    const MakeBackend& make;
    media::HotplugMonitor* plugs{};
    const ServeOptions& options;
};

struct ConnectionEnd {
    Result<void> outcome;
    std::optional<nlohmann::json> start_over; ///< id that the next connection must answer
    bool last{};                              ///< true after a signal, or if the transport failed
};

/// Takes ownership of both descriptors.
ConnectionEnd visit_once(LineEnds line, const Setting& setting, const std::optional<Response>& first) {
    asio::io_context io(1);
    try {
        ControllerConnection connection(io, line, setting.life, setting.make, setting.plugs, setting.options);
        bool signalled = false;
        asio::signal_set signals(io);
        if (setting.options.handle_signals) {
            // A disconnected controller must cause an error of write() and not end a process that holds mounts.
            std::signal(SIGPIPE, SIG_IGN);
            std::signal(SIGXFSZ, SIG_IGN);
            for (const int number : {SIGTERM, SIGINT, SIGHUP}) signals.add(number);
            signals.async_wait([&](boost::system::error_code stopped, int number) {
                if (stopped) return;
                spdlog::info("ended by signal {}", number);
                signalled = true;
                connection.end({});
            });
        }
        if (first) connection.begin_with(*first);
        connection.begin();
        io.run();
        return {connection.outcome(), connection.start_over(), signalled || connection.line_broke()};
    } catch (const std::exception& broken) {
        // This happens for descriptors that epoll does not support, such as /dev/null, and if no descriptors are left.
        return {fail(Errc::io_failed, std::string("the connection cannot be served: ") + broken.what()), {}, true};
    }
}

} // namespace

Result<void> serve(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs, const ServeOptions& options) {
    if (auto fits = check_line(line); !fits) {
        close_both(line);
        return fits;
    }
    if (line.read == line.write) line.write = ::dup(line.read);
    return visit_once(line, {LineLife::one_controller, make, plugs, options}, {}).outcome;
}

Result<void> serve_one_after_another(LineEnds line, const MakeBackend& make, media::HotplugMonitor* plugs,
                                     const ServeOptions& options) {
    if (auto fits = check_line(line); !fits) {
        close_both(line);
        return fits;
    }
    const Setting setting{LineLife::many_controllers, make, plugs, options};
    std::optional<Response> first;
    while (true) {
        // Keep the port open: closing a virtio port drops data that the next controller has already sent.
        const ConnectionEnd visited = visit_once(copy_of(line), setting, first);
        if (visited.last) {
            close_both(line);
            return visited.outcome;
        }
        if (!visited.outcome) spdlog::error("{}", printable(visited.outcome.error().detail));
        first.reset();
        if (!visited.start_over) continue;
        first = Response{*visited.start_over, nlohmann::json::object()};
        if (!visited.outcome) first->outcome = tl::unexpected(to_rpc(visited.outcome.error()));
    }
}

namespace {

namespace asio = boost::asio;
using nlohmann::json;

/// Limit of queued output in bytes. Answers are never blocked, so above this limit the agent stops reading requests of
/// a controller that does not read its answers.
constexpr std::size_t most_unread = std::size_t{16} << 20;

/// Interval for polling a disconnected port: the kernel provides no event for a connection.
constexpr auto look_for_controller = std::chrono::milliseconds(50);

tl::unexpected<RpcError> rpc_failure(RpcCode code, std::string message) {
    return tl::unexpected(RpcError{code, std::move(message), std::nullopt});
}

tl::unexpected<RpcError> cancelled(const RpcRequest& request) {
    return tl::unexpected(to_rpc({Errc::cancelled, request.method + " was cancelled"}));
}

/// Error codes of sockets, pipes and terminals whose other end is closed.
bool is_end_of_line(const boost::system::error_code& stopped) {
    return stopped == asio::error::eof || stopped == asio::error::connection_reset ||
           stopped == asio::error::broken_pipe || stopped == boost::system::errc::io_error;
}

bool names_claim(const RpcRequest& request) {
    return request.params.is_object() && request.params.contains("claim") &&
           request.params["claim"].is_number_unsigned();
}

std::string subject_of_claim(std::uint64_t claim) {
    return "claim " + std::to_string(claim);
}

/// Object of a request: requests for the same object run one after the other.
std::string subject_of(const RpcRequest& request) {
    if (names_claim(request)) return subject_of_claim(request.params["claim"].get<std::uint64_t>());
    for (const char* const member : {"target", "directory"})
        if (request.params.is_object() && request.params.contains(member) && request.params[member].is_string())
            return std::string(member) + " " + request.params[member].get<std::string>();
    return {};
}

} // namespace

ControllerConnection::ControllerConnection(asio::io_context& io, LineEnds line, LineLife life, const MakeBackend& make,
                                           media::HotplugMonitor* plugs, const ServeOptions& options)
    : io_(io),
      until_clean_(io.get_executor()),
      life_(life),
      options_(options),
      make_(make),
      plugs_(plugs),
      output_(options.output_limit),
      in_(io, line.read),
      out_(io, line.write),
      output_changed_(io, asio::steady_timer::time_point::max()),
      next_look_(io) {}

void ControllerConnection::begin() {
    asio::co_spawn(
        io_, [this] { return read(); }, asio::detached);
    asio::co_spawn(
        io_, [this] { return write(); }, asio::detached);
}

asio::awaitable<void> ControllerConnection::read() {
    std::array<char, 65536> buffer{};
    while (!ending_) {
        const auto [stopped, count] = co_await in_.async_read_some(asio::buffer(buffer), as_values);
        if (ending_) co_return;
        if (waits_for_controller(stopped)) {
            // Drop the remaining input of a controller that disconnected before its hello.
            framer_ = LineFramer();
            next_look_.expires_after(look_for_controller);
            co_await next_look_.async_wait(as_values);
            continue;
        }
        if (stopped) {
            end_line("reading", stopped);
            co_return;
        }
        framer_.push({buffer.data(), count});
        while (!ending_) {
            const auto frame = framer_.next();
            if (!frame) break;
            receive(*frame);
        }
        while (!ending_ && output_.bytes() > most_unread) co_await output_changed_.async_wait(as_values);
    }
}

asio::awaitable<void> ControllerConnection::write() {
    while (!ending_) {
        const std::string piece = output_.take();
        // Wake producers that wait for space.
        output_changed_.cancel();
        if (piece.empty()) {
            co_await output_changed_.async_wait(as_values);
            continue;
        }
        const auto [stopped, count] = co_await asio::async_write(out_, asio::buffer(piece), as_values);
        if (stopped) end_line("writing", stopped);
    }
}

void ControllerConnection::begin_with(const Response& response) {
    output_.push("\n" + serialise(response));
    wake_writer();
}

bool ControllerConnection::waits_for_controller(const boost::system::error_code& stopped) const {
    return life_ == LineLife::many_controllers && !greeted_ && stopped == asio::error::eof;
}

void ControllerConnection::end_line(const char* what, const boost::system::error_code& stopped) {
    const bool left = life_ == LineLife::many_controllers ? stopped == asio::error::eof : is_end_of_line(stopped);
    if (left) return end({});
    line_broke_ = true;
    end(fail(Errc::io_failed, std::string(what) + " the controller's connection failed: " + stopped.message()));
}

void ControllerConnection::wake_writer() {
    output_changed_.cancel();
}

void ControllerConnection::receive(const FramedLine& frame) {
    if (frame.kind == FramedLine::Kind::oversized) {
        respond(nullptr, rpc_failure(RpcCode::oversized, "a line is longer than 8 MiB; it was skipped"));
        return;
    }
    auto message = parse_message(frame.text);
    if (!message) {
        respond(message.error().id, tl::unexpected(message.error().error));
    } else if (auto* request = std::get_if<RpcRequest>(&*message)) {
        receive(std::move(*request));
    } else if (std::holds_alternative<Response>(*message)) {
        respond(nullptr, rpc_failure(RpcCode::invalid_request, "a response, but the agent sent no request"));
    }
    // The agent accepts no notifications, and JSON-RPC forbids an answer to them.
}

std::optional<RpcError> ControllerConnection::refusal_of(const RpcRequest& request) {
    if (request.method == "start_over" && life_ == LineLife::many_controllers) return std::nullopt;
    const auto same_id = [&](const RpcRequest& other) { return other.id == request.id; };
    const auto works_on_it = [&](const auto& worker) {
        return worker->at_work() && same_id(worker->at_work()->request);
    };
    if (std::any_of(waiting_.begin(), waiting_.end(), same_id) ||
        std::any_of(workers_.begin(), workers_.end(), works_on_it))
        return RpcError{RpcCode::invalid_request, "id: is in use by an unanswered request", std::nullopt};
    if (request.method == "hello") {
        if (greeted_) return RpcError{RpcCode::hello_first, "hello was already sent", std::nullopt};
        if (const auto fits = check_hello(request.params); !fits) return fits.error();
        return std::nullopt;
    }
    if (!greeted_) return RpcError{RpcCode::hello_first, "hello must be the first request", std::nullopt};
    if (request.method != "cancel" && !Methods::knows(request.method))
        return RpcError{RpcCode::unknown_method, "unknown method '" + request.method + "'", std::nullopt};
    if (request.method != "cancel" && waiting_.size() >= options_.most_waiting)
        return to_rpc({Errc::bad_request, "too many requests are waiting: read answers first"});
    return std::nullopt;
}

void ControllerConnection::receive(RpcRequest request) {
    if (auto refusal = refusal_of(request)) return respond(request.id, tl::unexpected(std::move(*refusal)));
    if (request.method == "cancel") return respond(request.id, answer_cancel(request.params));
    if (request.method == "start_over") {
        start_over_ = std::move(request.id);
        return end({});
    }
    if (request.method == "hello") {
        greeted_ = true;
        spdlog::info("controller connected: {}", printable(request.params["controller"].get<std::string>()));
        if (plugs_ != nullptr)
            asio::co_spawn(
                io_, [this] { return report_hotplug(); }, asio::detached);
    }
    waiting_.push_back(std::move(request));
    start_ready_requests();
}

ControllerConnection::Answer ControllerConnection::answer_cancel(const json& params) {
    if (!params.is_object() || !params.contains("request"))
        return rpc_failure(RpcCode::invalid_params, "request: missing");
    if (!params["request"].is_number_integer() && !params["request"].is_string())
        return rpc_failure(RpcCode::invalid_params, "request: must be an integer or a string");
    return json{{"cancelled", cancel(params["request"])}};
}

bool ControllerConnection::cancel(const json& id) {
    const auto queued =
        std::find_if(waiting_.begin(), waiting_.end(), [&](const RpcRequest& request) { return request.id == id; });
    if (queued != waiting_.end()) {
        const RpcRequest dropped = std::move(*queued);
        waiting_.erase(queued);
        respond(dropped.id, cancelled(dropped));
        return true;
    }
    const auto worker = std::find_if(workers_.begin(), workers_.end(), [&](const auto& each) {
        return each->at_work() && each->at_work()->request.id == id;
    });
    if (worker == workers_.end()) return false;
    (*worker)->cancel();
    return true;
}

void ControllerConnection::start_ready_requests() {
    for (auto next = waiting_.begin(); next != waiting_.end() && !ending_;) {
        Worker* const worker = worker_for(next);
        if (!worker) {
            ++next;
            continue;
        }
        RpcRequest request = std::move(*next);
        next = waiting_.erase(next);
        begin(*worker, std::move(request));
    }
}

Worker* ControllerConnection::worker_for(std::deque<RpcRequest>::const_iterator request) {
    const std::string subject = subject_of(*request);
    const auto comes_before = [&](const RpcRequest& other) {
        // A pending claim request may create the claim that this request names.
        return subject_of(other) == subject || (names_claim(*request) && other.method == "claim");
    };
    if (std::any_of(waiting_.cbegin(), request, comes_before)) return nullptr;
    for (const auto& worker : workers_)
        if (names_claim(*request) && worker->claim() && subject == subject_of_claim(*worker->claim()))
            return worker->at_work() ? nullptr : worker.get();
    for (const auto& worker : workers_)
        if (worker->at_work() && comes_before(worker->at_work()->request)) return nullptr;
    return free_worker();
}

Worker* ControllerConnection::free_worker() {
    for (const auto& worker : workers_)
        if (!worker->at_work() && !worker->claim()) return worker.get();
    if (workers_.size() >= options_.most_workers) return nullptr;
    return workers_.emplace_back(std::make_unique<Worker>(io_, make_, numbers_)).get();
}

void ControllerConnection::begin(Worker& worker, RpcRequest request) {
    auto work = std::make_shared<Work>();
    work->request = std::move(request);
    const auto wake = [this] { asio::post(io_, [this] { wake_writer(); }); };
    work->feed = std::make_unique<RunFeed>(work->request.id, output_, wake);
    worker.begin(work, [this, &worker, work](Answer answer) { finished(worker, *work, std::move(answer)); });
    if (work->request.method == "run" || work->request.method == "scan")
        asio::co_spawn(
            io_, [this, &worker, work] { return report_progress(worker, work); }, asio::detached);
}

void ControllerConnection::finished(Worker& worker, const Work& work, Answer answer) {
    if (!work.feed->unsent_cell().empty() && answer)
        answer = tl::unexpected(
            to_rpc({Errc::bad_format, "the result of cell " + work.feed->unsent_cell() +
                                          " is longer than the 8 MiB of a line: reduce its time limit"}));
    respond(work.request.id, std::move(answer));
    if (ending_) return clean_up(worker);
    start_ready_requests();
}

asio::awaitable<void> ControllerConnection::report_progress(const Worker& worker, std::shared_ptr<Work> work) {
    asio::steady_timer due(io_);
    while (worker.at_work() == work && !ending_) {
        due.expires_after(options_.progress_interval);
        (void)co_await due.async_wait(as_values);
        if (worker.at_work() != work || ending_) co_return;
        if (const auto progress = work->feed->progress(work->control))
            if (output_.push_if_idle(serialise(*progress))) wake_writer();
    }
}

asio::awaitable<void> ControllerConnection::report_hotplug() {
    const int own = ::dup(plugs_->descriptor());
    if (own < 0) co_return;
    plugged_.emplace(io_, own);
    while (!ending_) {
        const auto [stopped] = co_await plugged_->async_wait(asio::posix::stream_descriptor::wait_read, as_values);
        if (stopped || ending_) co_return;
        while (const auto event = plugs_->next())
            if (output_.push_if_idle(
                    serialise(Notification{"plugged", to_wire(PluggedNote{.kind = event->kind, .node = event->node})})))
                wake_writer();
    }
}

void ControllerConnection::respond(const json& id, Answer answer) {
    std::string line = serialise(Response{id, std::move(answer)});
    if (line.size() > longest_line + 1)
        line = serialise(Response{
            id,
            tl::unexpected(to_rpc({Errc::bad_format, "the answer is longer than the 8 MiB that a line may have"}))});
    output_.push(std::move(line));
    wake_writer();
}

void ControllerConnection::end(Result<void> cause) {
    if (std::exchange(ending_, true)) return;
    outcome_ = std::move(cause);
    waiting_.clear();
    output_.close();
    boost::system::error_code ignored;
    in_.close(ignored);
    out_.close(ignored);
    if (plugged_) plugged_->close(ignored);
    output_changed_.cancel();
    next_look_.cancel();
    if (workers_.empty()) io_.stop();
    for (const auto& worker : workers_) {
        if (worker->at_work())
            worker->cancel();
        else
            clean_up(*worker);
    }
}

void ControllerConnection::clean_up(Worker& worker) {
    worker.clean_up([this](Result<void> released) {
        if (!released) outcome_ = std::move(released);
        if (++clean_up_ == workers_.size()) io_.stop();
    });
}

} // namespace mediarig::agent
