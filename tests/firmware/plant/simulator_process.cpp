// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/firmware/plant/simulator_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "common/rigproto/simulated_rig.hpp"

namespace mediarig::board {

using Clock = std::chrono::steady_clock;

bool eventually(const std::function<bool()>& so) {
    const auto end = Clock::now() + patience;
    while (!so()) {
        if (Clock::now() > end) return false;
        ::poll(nullptr, 0, 5);
    }
    return true;
}

SimulatorProcess::SimulatorProcess(const std::vector<std::string>& arguments) {
    std::array<int, 2> in{}, out{}, err{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0 ||
        ::pipe2(err.data(), O_CLOEXEC) != 0)
        return;
    std::vector<std::string> words{MEDIARIG_RIG_SIM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        ::dup2(err[1], 2);
        ::execv(argv[0], argv.data());
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    ::close(err[1]);
    in_ = in[1];
    out_ = out[0];
    err_ = err[0];
}

SimulatorProcess::~SimulatorProcess() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    for (const int descriptor : {in_, out_, err_})
        if (descriptor >= 0) ::close(descriptor);
}

std::string SimulatorProcess::line() {
    const auto end = Clock::now() + patience;
    while (Clock::now() < end) {
        if (const auto newline = unread_.find('\n'); newline != std::string::npos) {
            const std::string line = unread_.substr(0, newline);
            unread_.erase(0, newline + 1);
            return line;
        }
        pollfd poll{out_, POLLIN, 0};
        if (::poll(&poll, 1, 100) <= 0) continue;
        std::array<char, 4'096> bytes{};
        const auto count = ::read(out_, bytes.data(), bytes.size());
        if (count <= 0) return {};
        unread_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return {};
}

void SimulatorProcess::say(const std::string& sentence) {
    const std::string line = sentence + '\n';
    (void)!::write(in_, line.data(), line.size());
}

void SimulatorProcess::end_input() {
    ::close(in_);
    in_ = -1;
}

void SimulatorProcess::send_signal(int signal) const {
    ::kill(pid_, signal);
}

int SimulatorProcess::wait() {
    int status = 0;
    const bool ended = eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
    if (!ended) return -1'000;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string SimulatorProcess::errors() {
    std::string text;
    std::array<char, 4'096> bytes{};
    for (ssize_t count = 0; (count = ::read(err_, bytes.data(), bytes.size())) > 0;)
        text.append(bytes.data(), static_cast<std::size_t>(count));
    return text;
}

LineHost::LineHost(const std::string& path, std::uint16_t nonce) : link_(nonce) {
    (void)eventually([&] { return (line_ = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)) >= 0; });
    termios settings{};
    if (line_ < 0 || ::tcgetattr(line_, &settings) != 0) return;
    ::cfmakeraw(&settings);
    ::tcsetattr(line_, TCSANOW, &settings);
}

LineHost::~LineHost() {
    if (line_ >= 0) ::close(line_);
}

void LineHost::write(std::span<const std::uint8_t> bytes) const {
    const auto end = Clock::now() + patience;
    while (!bytes.empty() && Clock::now() < end) {
        const auto count = ::write(line_, bytes.data(), bytes.size());
        if (count > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        else if (errno != EAGAIN && errno != EINTR)
            return;
        else
            ::poll(nullptr, 0, 1);
    }
}

void LineHost::exchange() {
    link_.tick(Clock::now());
    write(link_.take_output());
    pollfd poll{line_, POLLIN, 0};
    ::poll(&poll, 1, 2);
    std::array<std::uint8_t, 1'024> bytes{};
    if (const auto count = ::read(line_, bytes.data(), bytes.size()); count > 0)
        link_.feed(std::span(bytes).first(static_cast<std::size_t>(count)));
    while (const auto event = link_.take_event()) {
        const auto body = std::span(event->payload).subspan(rigproto::size_of<rigproto::EventHead>());
        if (event->kind == rigproto::EventKind::job_done)
            if (const auto job = rigproto::decode<rigproto::JobEvent>(body)) done_.push_back(*job);
        if (event->kind == rigproto::EventKind::job_failed)
            if (const auto job = rigproto::decode<rigproto::JobEvent>(body)) failed_.push_back(*job);
        if (event->head.id != 0) link_.acknowledge(event->head.id);
    }
}

std::optional<rig::Answer> LineHost::ask(rigproto::Op op, std::span<const std::uint8_t> payload) {
    if (!open() || link_.lost()) return {};
    link_.ask(op, payload, Clock::now());
    while (!link_.lost()) {
        exchange();
        if (auto answer = link_.take_answer()) return answer;
    }
    return {};
}

std::optional<rigproto::HelloReply> LineHost::hello() {
    const auto answer = ask_with(rigproto::Op::hello, rigproto::HelloRequest{});
    if (!answer || answer->rejection.reject != rigproto::Reject::none) return {};
    return rigproto::decode<rigproto::HelloReply>(answer->payload);
}

std::optional<rigproto::StatusReply> LineHost::status() {
    const auto answer = ask(rigproto::Op::status, {});
    if (!answer || answer->rejection.reject != rigproto::Reject::none) return {};
    return rigproto::decode<rigproto::StatusReply>(answer->payload);
}

bool LineHost::configure(std::uint8_t pockets, std::uint8_t ports) {
    const auto answer = ask_with(rigproto::Op::config, rigproto::simulated_rig(pockets, ports));
    if (!answer || answer->rejection.reject != rigproto::Reject::none) return false;
    return eventually([&] {
        const auto seen = status();
        return seen && seen->state != rigproto::State::boot;
    });
}

bool LineHost::finish(std::uint32_t job) {
    const auto is_it = [&](const rigproto::JobEvent& event) { return event.job == job; };
    bool done = false;
    (void)eventually([&] {
        (void)ask_with(rigproto::Op::heartbeat, rigproto::HeartbeatRequest{5'000});
        done = std::any_of(done_.begin(), done_.end(), is_it);
        return done || std::any_of(failed_.begin(), failed_.end(), is_it) || link_.lost();
    });
    return done;
}

} // namespace mediarig::board
