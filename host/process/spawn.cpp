// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/process/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "host/descriptor.hpp"

namespace mediarig::process {
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

/// A file in memory and not a pipe: it takes any length without a reader, and a program that does not read it is not
/// waited for.
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

/// Shared by starts from the copying of the descriptors to the closing of the copies: posix_spawn returns after that.
std::shared_mutex starts;

/// What posix_spawn is told, with the life time it needs.
class Actions {
public:
    Actions() {
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawnattr_init(&attributes);
        sigset_t none, all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes, &none);
        // A signal that we ignore (SIGPIPE, usually) would stay ignored in the child.
        ::posix_spawnattr_setsigdefault(&attributes, &all);
        ::posix_spawnattr_setpgroup(&attributes, 0);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    }
    Actions(const Actions&) = delete;
    Actions& operator=(const Actions&) = delete;
    ~Actions() {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
};

} // namespace

Result<Spawned> spawn(const std::string& path, const Command& command) {
    // Its real user would still be root, so that it could take everything back.
    if (::geteuid() != ::getuid())
        return fail(Errc::no_permission, fmt::format("{} is not started with the rights of a caller", command.program));
    auto out = make_pipe();
    if (!out) return fail(out.error());
    auto err = make_pipe();
    if (!err) return fail(err.error());

    Actions actions;
    Descriptor input;
    if (!command.input.empty()) {
        auto made = make_input(command.input);
        if (!made) return fail(made.error());
        input = std::move(*made);
        ::posix_spawn_file_actions_adddup2(&actions.files, input.get(), 0);
    } else {
        ::posix_spawn_file_actions_addopen(&actions.files, 0, "/dev/null", O_RDONLY, 0);
    }
    ::posix_spawn_file_actions_adddup2(&actions.files, out->writer.get(), 1);
    ::posix_spawn_file_actions_adddup2(&actions.files, err->writer.get(), 2);
    // Numbers overlap: descriptor 4 may have to become 3 and 3 become 4. Copies out of the way make the order harmless.
    int above = 2;
    for (const Inherited& inherited : command.inherit) above = std::max(above, inherited.childs);
    std::vector<Descriptor> copies;
    for (const Inherited& inherited : command.inherit) {
        if (inherited.childs < 3)
            return fail(Errc::bad_request, "descriptors 0 to 2 of a child are its own standard streams");
        copies.emplace_back(::fcntl(inherited.ours, F_DUPFD_CLOEXEC, above + 1));
        if (copies.back().get() < 0)
            return fail(Errc::io_failed, fmt::format("cannot hand descriptor {} to {}: {}", inherited.ours,
                                                     command.program, std::strerror(errno)));
        ::posix_spawn_file_actions_adddup2(&actions.files, copies.back().get(), inherited.childs);
    }
    // Not every library opens with O_CLOEXEC; a stray copy of a device would keep it busy.
    ::posix_spawn_file_actions_addclosefrom_np(&actions.files, above + 1);

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

    pid_t child{};
    int failed{};
    const auto start = [&] {
        const std::shared_lock under_way(starts);
        failed =
            ::posix_spawn(&child, path.c_str(), &actions.files, &actions.attributes, argv.data(), environment.data());
    };
    if (command.sandbox) {
        // A child inherits the rights of the thread that starts it: one that gives them up and ends with that.
        std::vector<int> inherited;
        for (const Inherited& each : command.inherit) inherited.push_back(each.ours);
        Result<void> entered;
        std::thread([&] {
            entered = enter_sandbox(*command.sandbox, path, inherited);
            if (entered) start();
        }).join();
        if (!entered) return fail(entered.error());
    } else {
        start();
    }
    if (failed != 0)
        return fail(failed == EACCES || failed == EPERM ? Errc::no_permission : Errc::io_failed,
                    fmt::format("cannot start {}: {}", path, std::strerror(failed)));
    return Spawned{child, out->reader.release(), err->reader.release()};
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
    // The end of the file: the child has closed its copy, which is one of the last.
    char nothing = 0;
    while (::read(closed->reader.get(), &nothing, 1) < 0 && errno == EINTR) {
    }
    return child;
}

void wait_for_starts() {
    const std::unique_lock none_under_way(starts);
}

} // namespace mediarig::process
