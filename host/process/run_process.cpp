// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/process/run_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "host/process/mount_namespace.hpp"
#include "host/process/mount_request.hpp"
#include "host/process/spawn.hpp"

namespace mediarig::process {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How often the cancel flag and the child are looked at while nothing is written.
constexpr int tick_ms = 20;
/// How long a program may take to end by itself after SIGTERM.
constexpr milliseconds grace{1000};

/// One of the child's two streams.
struct Stream {
    int fd{-1};
    std::string* kept{};
};

/// Reads what is there; closes the stream at its end.
void drain(Stream& stream, std::uint64_t limit, bool& truncated) {
    std::array<char, 16384> buffer{};
    while (stream.fd >= 0) {
        const ssize_t got = ::read(stream.fd, buffer.data(), buffer.size());
        if (got > 0) {
            const std::uint64_t room = limit - stream.kept->size();
            const auto taken = std::min<std::uint64_t>(room, static_cast<std::uint64_t>(got));
            stream.kept->append(buffer.data(), taken);
            truncated |= taken < static_cast<std::uint64_t>(got);
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else if (got < 0 && errno == EAGAIN) {
            return;
        } else {
            ::close(stream.fd);
            stream.fd = -1;
        }
    }
}

void wait_for_output(const std::array<Stream, 2>& streams) {
    // A negative descriptor is ignored by poll: with both closed this is the pause between two looks at the child.
    std::array<pollfd, 2> polled{pollfd{streams[0].fd, POLLIN, 0}, pollfd{streams[1].fd, POLLIN, 0}};
    const bool closed = streams[0].fd < 0 && streams[1].fd < 0;
    ::poll(polled.data(), polled.size(), closed ? 1 : tick_ms);
}

struct Ending {
    int status{};
    bool timed_out{};
    bool cancelled{};
};

/// Collects output until the child has ended; ends it where it has to be ended.
Result<Ending> supervise(pid_t child, const Command& command, Clock::time_point started, std::array<Stream, 2>& streams,
                         bool& truncated) {
    Ending ending;
    std::optional<Clock::time_point> told_to_end;
    bool killed = false;
    while (true) {
        for (Stream& stream : streams) drain(stream, command.output_limit.count, truncated);
        const pid_t waited = ::waitpid(child, &ending.status, WNOHANG);
        if (waited == child) return ending;
        if (waited < 0 && errno != EINTR)
            return fail(Errc::io_failed, fmt::format("cannot wait for {}: {}", command.program, std::strerror(errno)));

        const auto now = Clock::now();
        if (!told_to_end) {
            ending.cancelled = command.cancel && command.cancel->load(std::memory_order_relaxed);
            ending.timed_out = !ending.cancelled && now - started >= command.time_limit;
            if (ending.cancelled || ending.timed_out) {
                ::kill(-child, SIGTERM);
                told_to_end = now;
            }
        } else if (!killed && now - *told_to_end >= grace) {
            ::kill(-child, SIGKILL);
            killed = true;
        }
        wait_for_output(streams);
    }
}

bool is_executable_file(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

} // namespace

Result<std::string> find_program(const std::string& program, const std::string& search_path) {
    if (program.find('/') != std::string::npos) {
        if (is_executable_file(program)) return program;
        return fail(Errc::no_driver, fmt::format("there is no program {}", program));
    }
    std::size_t begin = 0;
    while (begin <= search_path.size()) {
        const std::size_t end = std::min(search_path.find(':', begin), search_path.size());
        const std::string candidate = fmt::format("{}/{}", search_path.substr(begin, end - begin), program);
        if (end > begin && is_executable_file(candidate)) return candidate;
        begin = end + 1;
    }
    return fail(Errc::no_driver, fmt::format("there is no program {} in {}", program, search_path));
}

namespace {

Result<Finished> run_to_end(const std::string& path, const Command& command) {
    const auto started = Clock::now();
    const auto spawned = spawn(path, command);
    if (!spawned) return fail(spawned.error());

    Finished finished;
    std::array<Stream, 2> streams{Stream{spawned->out, &finished.out}, Stream{spawned->err, &finished.err}};
    const auto ending = supervise(spawned->child, command, started, streams, finished.truncated);
    for (Stream& stream : streams) {
        drain(stream, command.output_limit.count, finished.truncated);
        // Still open: a descendant keeps it (a daemon, say). What it writes is not the program's answer.
        if (stream.fd >= 0) ::close(stream.fd);
    }
    if (!ending) return fail(ending.error());
    finished.elapsed = Clock::now() - started;
    if (ending->cancelled) return fail(Errc::cancelled, fmt::format("{} was cancelled", command.program));
    if (ending->timed_out)
        return fail(Errc::timed_out,
                    fmt::format("{} did not end within {} ms", command.program, command.time_limit.count()));
    if (WIFSIGNALED(ending->status))
        finished.signal = WTERMSIG(ending->status);
    else
        finished.exit_status = WEXITSTATUS(ending->status);
    return finished;
}

/// Gives up the rights of the calling thread that the program is not to have.
Result<void> restrict_thread(const std::string& path, const Command& command) {
    if (command.answer_mounts)
        if (auto outside = return_to_first_mount_namespace(); !outside) return outside;
    std::vector<int> inherited;
    for (const Inherited& each : command.inherit) inherited.push_back(each.ours);
    if (auto entered = enter_sandbox(*command.sandbox, path, inherited); !entered) return entered;
    if (!command.answer_mounts) return {};
    auto listener = intercept_mounts();
    if (!listener) return fail(listener.error());
    command.answer_mounts(std::move(*listener));
    return {};
}

} // namespace

Result<Finished> run_process(const Command& command) {
    if (command.cancel && command.cancel->load(std::memory_order_relaxed))
        return fail(Errc::cancelled, fmt::format("{} was not started: cancelled", command.program));
    const auto path = find_program(command.program, command.search_path);
    if (!path) return fail(path.error());
    if (!command.sandbox) return run_to_end(*path, command);

    // A child inherits the rights of the thread that starts it, and is killed when that thread ends: so a thread gives
    // them up and waits.
    Result<Finished> finished;
    std::thread([&] {
        auto restricted = restrict_thread(*path, command);
        finished = restricted ? run_to_end(*path, command) : Result<Finished>(fail(restricted.error()));
    }).join();
    return finished;
}

std::string first_words(const Finished& finished) {
    for (const std::string* said : {&finished.err, &finished.out}) {
        std::size_t begin = said->find_first_not_of(" \t\r\n");
        if (begin == std::string::npos) continue;
        std::string line = said->substr(begin, said->find_first_of("\r\n", begin) - begin);
        return line.substr(0, line.find_last_not_of(" \t") + 1);
    }
    return {};
}

std::string ending_of(const Finished& finished) {
    if (finished.signal) return fmt::format("signal {}", *finished.signal);
    return fmt::format("exit status {}", finished.exit_status);
}

} // namespace mediarig::process
