// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/client/process/process_link.hpp"

#include <signal.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>

#include "host/agent/client/process/child.hpp"
#include "host/agent/client/stream_link.hpp"
#include "host/base/async/as_values.hpp"
#include "host/base/async/event.hpp"

namespace mediarig::agent {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using nlohmann::json;

/// The last lines of a text that is received in parts.
class Tail {
public:
    void push(std::string_view bytes) {
        for (const char c : bytes) {
            if (c == '\n') {
                keep_line();
            } else if (line_.size() < longest && c != '\r') {
                line_ += c;
            }
        }
    }
    /// The lines joined into one line, the oldest first; empty without output.
    [[nodiscard]] std::string text() const {
        std::string text;
        for (const std::string& line : lines_) text += (text.empty() ? "" : " | ") + line;
        if (!line_.empty()) text += (text.empty() ? "" : " | ") + line_;
        return text;
    }

private:
    static constexpr std::size_t longest = 300;
    static constexpr std::size_t most = 3;
    void keep_line() {
        if (!line_.empty()) lines_.push_back(std::exchange(line_, {}));
        if (lines_.size() > most) lines_.pop_front();
    }
    std::deque<std::string> lines_;
    std::string line_;
};

/// State shared with the coroutine that reads standard error, which may briefly outlive the connection object.
struct ProcessState {
    ProcessState(const asio::any_io_executor& executor, Child spawned, int errors_fd)
        : child(std::move(spawned)), errors(executor, errors_fd), watch(executor) {}

    Child child;
    asio::posix::stream_descriptor errors;
    Tail said;
    bool through_pkexec{false};
    bool errors_ended{false};
    bool lost{false}; ///< the agent closed the connection
    bool closing{false};
    bool stuck{false};        ///< the agent has begun to exit but does not end
    asio::steady_timer watch; ///< timer of watch_for_stuck_exit()
    bool watched{true};
};

Error stuck_exit() {
    return {Errc::agent_lost,
            "the agent was killed and cannot end, because a file system driver or a device does not respond: end the "
            "driver (kill -KILL) or remove the device, then try again"};
}

asio::awaitable<void> collect_errors(std::shared_ptr<ProcessState> running) {
    std::array<char, 4096> buffer{};
    while (true) {
        const auto [stopped, count] = co_await running->errors.async_read_some(asio::buffer(buffer), as_values);
        if (stopped) break;
        running->said.push({buffer.data(), count});
    }
    running->errors_ended = true;
}

/// Returns when the agent has been exiting for three seconds, or for 30 seconds if its connection was closed in order,
/// because the agent may then still write back to a slow medium. The connection may stay open during this time.
asio::awaitable<void> watch_for_stuck_exit(std::shared_ptr<ProcessState> running) {
    constexpr auto between_looks = 500ms;
    constexpr int most_looks = 6, most_in_order = 60;
    for (int exiting = 0; exiting < (running->closing && !running->lost ? most_in_order : most_looks);) {
        running->watch.expires_after(between_looks);
        co_await running->watch.async_wait(as_values);
        if (!running->watched || running->child.poll()) co_return;
        exiting = running->child.is_exiting() ? exiting + 1 : 0;
    }
    running->stuck = true;
}

/// Waits for the end of the child, at most for `patience`, which may change during the wait. Returns nothing if the
/// child has not ended by then, and earlier if it is known that the agent cannot exit.
asio::awaitable<std::optional<ChildEnd>> wait_for_end(std::shared_ptr<ProcessState> running,
                                                      const std::chrono::milliseconds& patience) {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    const auto begun = std::chrono::steady_clock::now();
    while (true) {
        const auto end = running->child.poll();
        if (end || running->stuck || std::chrono::steady_clock::now() >= begun + patience) co_return end;
        pause.expires_after(5ms);
        co_await pause.async_wait(as_values);
    }
}

/// Decodes the exit status of a pkexec that did not start the program; see pkexec(1).
std::optional<Error> refusal_of_pkexec(const ChildEnd& end, const std::string& said) {
    constexpr int dismissed = 126, not_authorized = 127;
    if (end.status == dismissed)
        return Error{Errc::no_permission,
                     "the password dialog was closed: no job was started; repeat the request to open it again"};
    if (end.status != not_authorized) return std::nullopt;
    return Error{Errc::no_permission,
                 "polkit does not let this user start the agent as root: use an account of an administrator, or start "
                 "mediarig with sudo" +
                     (said.empty() ? "" : "; pkexec reported: " + said)};
}

/// Waits for the end of standard error, so that the last lines are complete.
asio::awaitable<Error> exit_reason(std::shared_ptr<ProcessState> running) {
    static constexpr std::chrono::milliseconds a_moment{500};
    running->lost = true;
    const auto end = co_await wait_for_end(running, a_moment);
    if (running->stuck) co_return stuck_exit();
    asio::steady_timer pause(co_await asio::this_coro::executor);
    for (int i = 0; i < 40 && end && !running->errors_ended; ++i) {
        pause.expires_after(5ms);
        co_await pause.async_wait(as_values);
    }
    const std::string said = running->said.text();
    if (end && running->through_pkexec)
        if (auto refused = refusal_of_pkexec(*end, said)) co_return std::move(*refused);
    // The agent refuses to start for an unknown user; see process::find_caller().
    if (end && end->status == exit_status(Errc::refused)) co_return Error{Errc::refused, said};
    // This is the message of `sudo -n` if a password is required.
    if (said.find("a password is required") != std::string::npos)
        co_return Error{Errc::no_permission,
                        "sudo asks for a password: run 'sudo -v' first, or start mediarig as root"};
    std::string detail =
        end ? "the agent ended with " + end->text : "the agent closed the connection but is still running";
    co_return Error{Errc::agent_lost, detail + (said.empty() ? ", without a message" : ": " + said)};
}

class ProcessLink final : public AgentLink {
public:
    ProcessLink(asio::any_io_executor executor, AgentCommand command, ProcessTimeouts patience)
        : executor_(std::move(executor)), command_(std::move(command)), patience_(patience), closed_(executor_) {}

    ~ProcessLink() override { stop_watching(); }
    ProcessLink(const ProcessLink&) = delete;
    ProcessLink& operator=(const ProcessLink&) = delete;

    asio::awaitable<Result<void>> start() override;
    asio::awaitable<Result<json>> call(RequestId id, std::string method, json params) override;
    void on_notification(NotificationHandler handler) override { handler_ = std::move(handler); }
    asio::awaitable<Result<void>> close() override;
    void expedite_close() override {
        hurried_ = true;
        patience_.terminate = std::min<std::chrono::milliseconds>(patience_.terminate, 200ms);
        // A stopped agent must be continued before it can clean up.
        if (running_) (void)running_->child.signal(SIGCONT);
        if (line_) line_->expedite_close();
    }
    std::string description() const override { return command_.description; }

private:
    asio::awaitable<Result<void>> end_child();
    void stop_watching() {
        if (!running_) return;
        running_->watched = false;
        running_->watch.cancel();
    }

    asio::any_io_executor executor_;
    AgentCommand command_;
    ProcessTimeouts patience_;
    NotificationHandler handler_;
    std::shared_ptr<ProcessState> running_;
    std::unique_ptr<StreamLink> line_;
    Event closed_;
    bool closing_{false};
    bool hurried_{false};
    bool may_hold_media_{false}; ///< true after a request other than hello was sent
    std::optional<Result<void>> close_result_;
};

asio::awaitable<Result<void>> ProcessLink::start() {
    if (closing_) co_return fail(Errc::agent_lost, "the connection to the agent was closed");
    if (line_) co_return Result<void>{};
    auto spawned = Child::spawn(command_.argv);
    if (!spawned) co_return fail(std::move(spawned.error()));
    const Child::ChildStreams ends = spawned->second;
    running_ = std::make_shared<ProcessState>(executor_, std::move(spawned->first), ends.errors);
    running_->through_pkexec = std::filesystem::path(command_.argv.front()).filename() == "pkexec";
    asio::co_spawn(executor_, collect_errors(running_), asio::detached);

    StreamLink::Socket socket(executor_, asio::local::stream_protocol(), ends.socket);
    line_ = std::make_unique<StreamLink>(std::move(socket), command_.description, patience_.release);
    line_->on_notification(std::move(handler_));
    line_->on_connection_lost([running = running_] { return exit_reason(running); });
    asio::co_spawn(
        executor_,
        [this, running = running_]() -> asio::awaitable<void> {
            co_await watch_for_stuck_exit(running);
            // The destructor of this object clears `watched`, so `line_` is not used after it.
            if (running->stuck && running->watched) line_->lose();
        },
        asio::detached);
    co_return co_await line_->start();
}

asio::awaitable<Result<json>> ProcessLink::call(RequestId id, std::string method, json params) {
    if (!line_) co_return fail(Errc::agent_lost, "the agent has not been started");
    if (method != "hello") may_hold_media_ = true;
    co_return co_await line_->call(id, std::move(method), std::move(params));
}

asio::awaitable<Result<void>> ProcessLink::close() {
    if (closing_) {
        while (!close_result_) co_await closed_.wait();
        co_return *close_result_;
    }
    closing_ = true;
    Result<void> result;
    if (line_) {
        running_->closing = true;
        const Result<void> line_closed = co_await line_->close();
        const Result<void> child_ended = co_await end_child();
        stop_watching();
        result = line_closed ? child_ended : line_closed;
        // An agent that cannot be ended, or its child process, may hold standard error open indefinitely.
        boost::system::error_code ignored;
        running_->errors.close(ignored);
    }
    close_result_ = result;
    closed_.notify();
    co_return result;
}

/// Called after the connection was closed. An agent that ends properly has then finished its work.
asio::awaitable<Result<void>> ProcessLink::end_child() {
    auto end = co_await wait_for_end(running_, patience_.terminate);
    for (const int number : {SIGTERM, SIGKILL}) {
        if (end) break;
        if (running_->stuck) co_return fail(stuck_exit());
        // The agent may still be writing back to a slow medium; do not wait for that.
        if (number == SIGKILL && hurried_ && may_hold_media_ && running_->child.kill_after(patience_.unattended))
            co_return fail(Errc::agent_lost,
                           "the agent is still releasing the media; it is killed if this takes too long");
        if (!running_->child.signal(number)) break;
        end = co_await wait_for_end(running_, patience_.terminate);
    }
    if (!end) co_return fail(Errc::agent_lost, "the agent does not exit and may still hold media: end it with kill");
    if (end->in_order) co_return Result<void>{};
    const std::string said = running_->said.text();
    co_return fail(Errc::agent_lost, "the agent ended with " + end->text + (said.empty() ? "" : ": " + said));
}

} // namespace

AgentCommand local_agent(const std::string& program) {
    return {{program, "--stdio"}, "local"};
}

AgentCommand sudo_agent(const std::string& program) {
    return {{"sudo", "-n", "--", program, "--stdio"}, "sudo"};
}

AgentCommand agent_through(std::vector<std::string> prefix, const std::string& program) {
    std::string description = prefix.empty() ? "local" : prefix.front();
    prefix.push_back(program);
    prefix.emplace_back("--stdio");
    return {std::move(prefix), std::move(description)};
}

std::unique_ptr<AgentLink> make_process_link(const asio::any_io_executor& executor, AgentCommand command,
                                             ProcessTimeouts patience) {
    return std::make_unique<ProcessLink>(executor, std::move(command), patience);
}

} // namespace mediarig::agent
