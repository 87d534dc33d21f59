// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/nbdkit_process.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstring>

#include "host/base/async/as_values.hpp"
#include "host/base/process/run_process.hpp"

namespace mediarig::lab {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct NbdkitProcess::Listening {
    Listening(const asio::any_io_executor& executor, int out_fd, int err_fd)
        : out(executor, out_fd), err(executor, err_fd) {}

    asio::posix::stream_descriptor out, err;
    std::string said; ///< last part of the output
    int open{2};

    static asio::awaitable<void> collect(std::shared_ptr<Listening> self, asio::posix::stream_descriptor& from) {
        constexpr std::size_t kept = 600;
        std::array<char, 4096> buffer{};
        while (true) {
            const auto [stopped, count] = co_await from.async_read_some(asio::buffer(buffer), as_values);
            if (stopped) break;
            self->said.append(buffer.data(), count);
            if (self->said.size() > kept) self->said.erase(0, self->said.size() - kept);
        }
        --self->open;
    }
};

Result<std::unique_ptr<NbdkitProcess>> NbdkitProcess::spawn(const asio::any_io_executor& executor,
                                                            const std::string& program,
                                                            const std::vector<std::string>& arguments) {
    const process::Command command{.program = program, .arguments = arguments};
    const auto spawned = process::spawn(program, command);
    if (!spawned) return fail(spawned.error());
    auto listening = std::make_shared<Listening>(executor, spawned->out, spawned->err);
    asio::co_spawn(executor, Listening::collect(listening, listening->out), asio::detached);
    asio::co_spawn(executor, Listening::collect(listening, listening->err), asio::detached);
    return std::unique_ptr<NbdkitProcess>(new NbdkitProcess(spawned->child, std::move(listening)));
}

NbdkitProcess::~NbdkitProcess() {
    boost::system::error_code ignored;
    listening_->out.close(ignored);
    listening_->err.close(ignored);
    end_now();
}

void NbdkitProcess::end_now() {
    if (status_) return;
    ::kill(pid_, SIGKILL);
    int status{};
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    status_ = status;
}

asio::any_io_executor NbdkitProcess::executor() const {
    return listening_->out.get_executor();
}

bool NbdkitProcess::running() {
    int status{};
    if (!status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return !status_;
}

void NbdkitProcess::signal(int number) {
    if (running()) ::kill(pid_, number);
}

asio::awaitable<bool> NbdkitProcess::wait_for_end(std::chrono::milliseconds patience) {
    asio::steady_timer pause(executor());
    const auto until = std::chrono::steady_clock::now() + patience;
    while (running() && std::chrono::steady_clock::now() < until) {
        pause.expires_after(5ms);
        co_await pause.async_wait(as_values);
    }
    co_return !running();
}

asio::awaitable<std::string> NbdkitProcess::exit_reason() {
    // Output written just before the exit may not have been read yet.
    asio::steady_timer pause(executor());
    for (int i = 0; i < 40 && listening_->open > 0; ++i) {
        pause.expires_after(5ms);
        co_await pause.async_wait(as_values);
    }
    const int status = status_.value_or(0);
    std::string text = WIFSIGNALED(status) ? std::string("signal ") + std::to_string(WTERMSIG(status))
                                           : std::string("exit status ") + std::to_string(WEXITSTATUS(status));
    std::string said = listening_->said;
    while (!said.empty() && said.back() == '\n') said.pop_back();
    std::replace(said.begin(), said.end(), '\n', '|');
    co_return text + (said.empty() ? ", without a message" : ": " + said);
}

} // namespace mediarig::lab
