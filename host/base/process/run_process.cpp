// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/run_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <thread>
#include <utility>

#include "host/base/descriptor.hpp"
#include "host/base/process/mount_namespace.hpp"
#include "host/base/process/mount_request.hpp"

namespace mediarig::process {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Interval for checking the cancel flag and the child while there is no output.
constexpr int tick_ms = 20;
/// Time for a program to end after SIGTERM.
constexpr milliseconds grace{1000};

/// One of the child's two output streams.
struct Stream {
    int fd{-1};
    std::string* kept{};
};

/// Reads the available output; closes the stream at its end.
void drain(Stream& stream, std::uint64_t limit, bool& truncated) {
    std::array<char, 16384> buffer{};
    while (stream.fd >= 0) {
        const ssize_t got = ::read(stream.fd, buffer.data(), buffer.size());
        if (got > 0) {
            const std::uint64_t remaining = limit - stream.kept->size();
            const auto taken = std::min<std::uint64_t>(remaining, static_cast<std::uint64_t>(got));
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
    // poll ignores negative descriptors: if both streams are closed, this call is the pause between two checks of the
    // child.
    std::array<pollfd, 2> polled{pollfd{streams[0].fd, POLLIN, 0}, pollfd{streams[1].fd, POLLIN, 0}};
    const bool closed = streams[0].fd < 0 && streams[1].fd < 0;
    ::poll(polled.data(), polled.size(), closed ? 1 : tick_ms);
}

struct ChildExit {
    int status{};
    bool timed_out{};
    bool cancelled{};
};

/// Collects output until the child has ended; kills it on timeout or cancellation.
Result<ChildExit> supervise(pid_t child, const Command& command, Clock::time_point started,
                            std::array<Stream, 2>& streams, bool& truncated) {
    ChildExit ending;
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
        // The stream is still open: a descendant (e.g. a daemon) holds it. Output of a descendant is not part of the
        // program's output.
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

/// Drops the rights of the calling thread that the program must not have.
Result<void> restrict_thread(const std::string& path, const Command& command) {
    if (command.answer_mounts)
        if (auto outside = return_to_first_mount_namespace(); !outside) return outside;
    std::vector<int> inherited;
    for (const InheritedDescriptor& each : command.inherit) inherited.push_back(each.ours);
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

    // A child inherits the rights of the thread that starts it, and is killed when that thread ends. Therefore a
    // separate thread drops the rights, starts the child and waits for it.
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

namespace {

struct Pipe {
    Descriptor reader, writer;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail(Errc::io_failed, fmt::format("cannot make a pipe: {}", std::strerror(errno)));
    ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// A file in memory instead of a pipe: it accepts any length without a reader, and a program that does not read its
/// input cannot block this process.
Result<Descriptor> make_input(const std::string& text) {
    Descriptor file(::memfd_create("input", MFD_CLOEXEC));
    std::size_t put = 0;
    while (file.get() >= 0 && put < text.size()) {
        const ssize_t written = ::write(file.get(), text.data() + put, text.size() - put);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        put += static_cast<std::size_t>(written);
    }
    if (file.get() < 0 || put < text.size() || ::lseek(file.get(), 0, SEEK_SET) != 0)
        return fail(Errc::io_failed, fmt::format("cannot prepare a program's input: {}", std::strerror(errno)));
    return file;
}

/// Each start holds this mutex in shared mode from the copying of the descriptors until the copies are closed. vfork
/// returns after that.
std::shared_mutex starts;

struct Start {
    const char* path;
    char* const* argv;
    char* const* environment;
    std::array<int, 3> streams;
    std::span<const InheritedDescriptor> inherit; ///< every `ours` is greater than every `childs`
    unsigned first_closed;
    int failure; ///< receives the errno if the program does not start
    pid_t parent;
};

bool put(int ours, int childs) {
    return ours == childs ? ::fcntl(childs, F_SETFD, 0) == 0 : ::dup2(ours, childs) == childs;
}

/// Runs between vfork and exec, in the memory of the parent: calls only functions that are safe in a signal handler.
[[noreturn]] void become(const Start& start) {
    // A signal that this process ignores (usually SIGPIPE) would be ignored by the program too.
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    bool ready = ::setpgid(0, 0) == 0 && ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
    // The parent may have died before the call above.
    if (::getppid() != start.parent) ::_exit(127);
    for (std::size_t i = 0; i < start.streams.size(); ++i) ready = ready && put(start.streams[i], static_cast<int>(i));
    for (const InheritedDescriptor& each : start.inherit) ready = ready && put(each.ours, each.childs);
    // Not every library opens with O_CLOEXEC; a stray copy of a device would keep it busy.
    ::syscall(SYS_close_range, start.first_closed, ~0U, static_cast<unsigned>(CLOSE_RANGE_CLOEXEC));
    if (ready) ::execve(start.path, start.argv, start.environment);
    const int cause = errno;
    [[maybe_unused]] const ssize_t told = ::write(start.failure, &cause, sizeof cause);
    ::_exit(127);
}

/// Returns the child, or the errno of the failure.
tl::expected<pid_t, int> start_child(const Start& start) {
    // A signal handler of this process would run in the child, in the memory of this process.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const auto under_way = begin_start();
    // fork() would force every thread of a measurement to copy each page that it writes.
    const pid_t child = ::vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
    if (child == 0) become(start);
    const int failed = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (child < 0) return tl::unexpected(failed);
    return child;
}

} // namespace

Result<SpawnedChild> spawn(const std::string& path, const Command& command) {
    // The real user of the program would still be root, so it could restore all rights.
    if (::geteuid() != ::getuid())
        return fail(Errc::no_permission,
                    fmt::format("{} was not started: this thread has temporarily taken the rights of the calling user",
                                command.program));
    auto out = make_pipe();
    if (!out) return fail(out.error());
    auto err = make_pipe();
    if (!err) return fail(err.error());

    Descriptor input;
    if (!command.input.empty()) {
        auto made = make_input(command.input);
        if (!made) return fail(made.error());
        input = std::move(*made);
    } else {
        input = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    }
    // The numbers may overlap: descriptor 4 may have to become 3, and 3 become 4. First copy all descriptors to higher
    // numbers; then any order works.
    int above = 2;
    for (const InheritedDescriptor& inherited : command.inherit) above = std::max(above, inherited.childs);
    std::vector<Descriptor> copies;
    std::vector<InheritedDescriptor> inherit;
    for (const InheritedDescriptor& inherited : command.inherit) {
        if (inherited.childs < 3)
            return fail(Errc::bad_request,
                        "descriptors 0 to 2 of a child process are reserved for its standard streams");
        copies.emplace_back(::fcntl(inherited.ours, F_DUPFD_CLOEXEC, above + 1));
        if (copies.back().get() < 0)
            return fail(Errc::io_failed, fmt::format("cannot hand descriptor {} to {}: {}", inherited.ours,
                                                     command.program, std::strerror(errno)));
        inherit.push_back({.ours = copies.back().get(), .childs = inherited.childs});
    }
    auto failure = make_pipe();
    if (!failure) return fail(failure.error());
    const Descriptor failure_writer(::fcntl(failure->writer.get(), F_DUPFD_CLOEXEC, above + 1));
    failure->writer.close();

    std::vector<std::string> words{command.program};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<std::string> variables = command.environment;
    if (variables.empty()) variables = {"PATH=" + command.search_path, "LC_ALL=C.UTF-8"};
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    environment.push_back(nullptr);

    const auto child = start_child({.path = path.c_str(),
                                    .argv = argv.data(),
                                    .environment = environment.data(),
                                    .streams = {input.get(), out->writer.get(), err->writer.get()},
                                    .inherit = inherit,
                                    .first_closed = static_cast<unsigned>(above) + 1,
                                    .failure = failure_writer.get(),
                                    .parent = ::getpid()});
    int cause = child ? 0 : child.error();
    // vfork has returned, so the child has executed the program or has already written the errno.
    if (child && ::read(failure->reader.get(), &cause, sizeof cause) == sizeof cause) ::waitpid(*child, nullptr, 0);
    if (cause != 0)
        return fail(cause == EACCES || cause == EPERM ? Errc::no_permission : Errc::io_failed,
                    fmt::format("cannot start {}: {}", path, std::strerror(cause)));
    return SpawnedChild{*child, out->reader.release(), err->reader.release()};
}

std::shared_lock<std::shared_mutex> begin_start() {
    return std::shared_lock(starts);
}

Result<pid_t> fork_with(int kept, void (*work)(int kept)) {
    auto closed = make_pipe();
    if (!closed) return fail(closed.error());
    ::fcntl(closed->reader.get(), F_SETFL, 0);
    const std::shared_lock under_way(starts);
    const pid_t child = ::fork();
    if (child < 0) return fail(Errc::io_failed, fmt::format("cannot start a process: {}", std::strerror(errno)));
    if (child == 0) {
        if (kept > 0) ::close_range(0, static_cast<unsigned>(kept) - 1, 0);
        ::close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
        work(kept);
        ::_exit(0);
    }
    closed->writer.close();
    // End of file means that the child has closed its copy, which is among the last descriptors that it closes.
    char nothing = 0;
    while (::read(closed->reader.get(), &nothing, 1) < 0 && errno == EINTR) {
    }
    return child;
}

void wait_for_starts() {
    const std::unique_lock no_active_requests(starts);
}

} // namespace mediarig::process
