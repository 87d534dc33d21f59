// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/posix/simulator.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string_view>

#include "firmware/board/posix/event_json.hpp"
#include "firmware/plant/pattern.hpp"

namespace mediarig::board {

namespace {

using plant::milliseconds;

/// Skip the rest of a longer pause of the process: board and mechanics stopped together, and the host's heartbeats of
/// that time are read only now.
constexpr Nanoseconds longest_catch_up = milliseconds(250);
constexpr Nanoseconds slice = milliseconds(1); ///< period of transfers while catching up
constexpr int nap_ms = 1;

std::uint64_t monotonic() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
            .count());
}

/// True for a device, a pipe, an empty file, and a file that begins with an event of event_json().
bool may_append(int file) {
    struct stat status {};
    if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return true;
    constexpr std::string_view begins = R"({"what":)";
    std::array<char, begins.size()> first{};
    return ::pread(file, first.data(), first.size(), 0) == static_cast<ssize_t>(first.size()) &&
           std::string_view(first.data(), first.size()) == begins;
}

} // namespace

Simulator::Simulator(const SimulatorOptions& options, RetainedFile& retained, plant::Plant& plant)
    : options_(options),
      plant_(&plant),
      board_(
          plant, retained.memory(),
          board_info(options, retained.survived() ? rigproto::ResetReason::watchdog : rigproto::ResetReason::power_on)),
      parent_(::getppid()) {}

Simulator::~Simulator() {
    for (const int descriptor : {events_ == STDOUT_FILENO ? -1 : events_, signals_})
        if (descriptor >= 0) ::close(descriptor);
}

std::string Simulator::open_files() {
    if (options_.events == "-") {
        events_ = STDOUT_FILENO;
    } else if (!options_.events.empty()) {
        events_ = ::open(options_.events.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOCTTY | O_CLOEXEC, 0644);
        if (events_ < 0 && errno == EACCES)
            events_ = ::open(options_.events.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
        if (events_ >= 0 && !may_append(events_))
            return options_.events + " is not a file of a rig's events and is not overwritten: name another file";
        if (events_ < 0) return options_.events + ": " + std::strerror(errno);
    }
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals_ < 0) return std::string("signalfd: ") + std::strerror(errno);
    ::fcntl(STDIN_FILENO, F_SETFL, ::fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK);

    auto line = Pty::open(options_.link);
    if (!line) return line.error();
    line_.emplace(std::move(*line));
    return {};
}

int Simulator::run() {
    if (const std::string wrong = open_files(); !wrong.empty()) {
        std::cerr << "mediarig-rig-sim: " << wrong << '\n';
        return 3;
    }
    tell(!options_.greeting.empty() ? options_.greeting
                                    : R"({"ready":true,"pty":)" + json_string(line_->path()) + R"(,"link":)" +
                                          json_string(options_.link) + R"(,"pid":)" + std::to_string(::getpid()) + '}');
    real_ = monotonic();
    while (!over_) {
        keep_pace();
        read_commands();
        wait();
    }
    if (!options_.state.empty()) (void)write_cards(options_.state, plant_->cards());
    return exit_status_;
}

void Simulator::wait() {
    std::array<pollfd, 3> polls{pollfd{signals_, POLLIN, 0}, pollfd{input_open_ ? STDIN_FILENO : -1, POLLIN, 0},
                                // Do not poll a closed line: poll() would return at once every time.
                                pollfd{line_ && line_->heard() ? line_->descriptor() : -1, POLLIN, 0}};
    ::poll(polls.data(), polls.size(), nap_ms);
    if ((polls[0].revents & POLLIN) != 0 || ::getppid() != parent_) over_ = true;
}

void Simulator::keep_pace() {
    const std::uint64_t now = monotonic();
    const Nanoseconds end = plant_->now() + std::min<Nanoseconds>(now - real_, longest_catch_up);
    real_ = now;
    do {
        board_.run_until(std::min(end, plant_->now() + slice));
        follow_line_settings();
        carry_bytes();
        send_events();
    } while (plant_->now() < end);
}

/// A board without power or in reset disappears from the bus. Without a link the host could not find it again, so the
/// line stays open.
void Simulator::follow_line_settings() {
    if (options_.link.empty()) return;
    if (!board_.running()) {
        line_.reset();
        unsent_.clear();
    } else if (!line_) {
        auto line = Pty::open(options_.link);
        if (!line) {
            std::cerr << "mediarig-rig-sim: " << line.error() << '\n';
            exit_status_ = 3;
            over_ = true;
            return;
        }
        line_.emplace(std::move(*line));
        tell(R"({"line":)" + json_string(line_->path()) + '}');
    }
}

void Simulator::carry_bytes() {
    if (!line_) return;
    if (const auto bytes = line_->read(); !bytes.empty()) board_.receive(bytes);
    const bool heard = line_->heard();
    while (true) {
        if (unsent_.empty()) {
            unsent_.resize(512);
            unsent_.resize(board_.transmit(unsent_));
            if (unsent_.empty()) return;
        }
        const std::size_t taken = heard ? line_->write(unsent_) : unsent_.size();
        if (taken == 0) return;
        unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(taken));
    }
}

void Simulator::read_commands() {
    if (!input_open_) return;
    std::array<char, 4'096> bytes{};
    const auto count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
        input_open_ = false;
        if (options_.until_eof) over_ = true;
    }
    if (count <= 0) return;
    input_.append(bytes.data(), static_cast<std::size_t>(count));
    for (auto end = input_.find('\n'); end != std::string::npos; end = input_.find('\n')) {
        const std::string line = input_.substr(0, end);
        input_.erase(0, end + 1);
        if (!plant::words_of(line).empty()) tell(execute_line(line));
    }
    constexpr std::size_t longest_line = 1'000;
    if (input_.size() > longest_line) {
        input_.clear();
        tell(answer_json("a line has at most 1000 characters"));
    }
}

std::string Simulator::execute_line(std::string_view line) {
    const auto words = plant::words_of(line);
    constexpr std::array<std::string_view, 5> orders{"the firmware hangs", "the power fails", "the power returns",
                                                     "state", "quit"};
    if (const auto order = plant::fit(words, orders, {})) {
        switch (order->pattern) {
            case 0:
                board_.hang();
                break;
            case 1:
                board_.cut_power();
                break;
            case 2:
                board_.restore_power();
                break;
            case 3:
                return state_json(*plant_, board_.running());
            default:
                over_ = true;
                break;
        }
        return answer_json({});
    }
    const auto said = plant_->say(line, plant_->now());
    return answer_json(said ? std::string_view{} : said.error());
}

void Simulator::tell(std::string line) {
    line += '\n';
    std::string_view rest = line;
    while (!rest.empty()) {
        const auto written = ::write(STDOUT_FILENO, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return; // the other end was closed
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
}

void Simulator::send_events() {
    const auto events = plant_->take_events();
    if (events.empty()) return;
    // Write the places of the cards before their events: a client may read the file after an event.
    if (!options_.state.empty())
        if (const auto written = write_cards(options_.state, plant_->cards()); !written) {
            std::cerr << "mediarig-rig-sim: " << written.error() << '\n';
            exit_status_ = 3;
            over_ = true;
        }
    if (events_ < 0) return;
    std::string text;
    for (const plant::PlantEvent& event : events) text += event_json(event) + '\n';
    if (events_ == STDOUT_FILENO) {
        text.pop_back();
        tell(std::move(text));
    } else if (::write(events_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        std::cerr << "mediarig-rig-sim: " << options_.events << ": " << std::strerror(errno) << '\n';
        exit_status_ = 3;
        over_ = true;
    }
}

} // namespace mediarig::board
