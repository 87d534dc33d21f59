// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs one program and waits for it: an argument list, never a shell; limited output; a time limit; cancellation.
/// Blocking, callable from any thread, without shared state between calls.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "common/units.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/process/sandbox.hpp"
#include "host/base/result.hpp"

namespace mediarig::process {

/// Folders of system tools. Used instead of $PATH, which often lacks the sbin folders and is under the caller's
/// control.
inline constexpr const char* system_search_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A descriptor of this process that the child gets with the number `childs` (3 or more). No other descriptor is
/// inherited.
struct Inherited {
    int ours{-1};
    int childs{3};
};

struct Command {
    std::string program;                ///< a name to find in `search_path`, or a path with a slash
    std::vector<std::string> arguments; ///< without the program's own name
    std::vector<Inherited> inherit{};
    std::chrono::milliseconds time_limit{60'000};
    Bytes output_limit{1_MiB}; ///< per stream; further output is read and dropped
    std::string search_path{system_search_path};
    const std::atomic<bool>* cancel{}; ///< looked at about fifty times a second
    std::string input{};               ///< what it reads on standard input; empty: /dev/null
    std::optional<Sandbox> sandbox{};  ///< none: it may do what this process may
    /// If set, `sandbox` must be, too: the program starts in the first mount namespace of this process, and its
    /// mount(2) is intercepted. Called with the listener (see mount_request.hpp) before the start, on a thread with the
    /// rights of the program, which are those of each thread that it starts, too; must not block.
    std::function<void(Descriptor)> answer_mounts{};
    std::vector<std::string> environment{}; ///< all of it, as "NAME=value"; empty: see run_process()
};

/// The end of a program. A non-zero exit status is a result of the program, not an error of run_process.
struct Finished {
    int exit_status{};         ///< 0-255; meaningless when `signal` is set
    std::optional<int> signal; ///< set if a signal ended it
    std::string out, err;      ///< unmodified, at most `output_limit` each
    bool truncated{};          ///< the output exceeded the limit
    std::chrono::nanoseconds elapsed{};
    [[nodiscard]] bool succeeded() const { return !signal && exit_status == 0; }
};

/// The absolute path of an executable file. Fails with no_driver and names the program.
[[nodiscard]] Result<std::string> find_program(const std::string& program,
                                               const std::string& search_path = system_search_path);

/// The child is killed when this process dies, also by SIGKILL; its descendants are not. Its input is `input` or
/// /dev/null; it gets `environment` or one of PATH and LC_ALL=C.UTF-8 alone (so that its words parse and UTF-8
/// arguments mean what they say), default signals, and a process group of its own. Over the time limit or on
/// cancellation the group gets SIGTERM, then SIGKILL. Returns when the program has ended, even if a descendant of it
/// keeps its output open. Fails with no_driver (no such program), no_permission, io_failed, timed_out, cancelled.
[[nodiscard]] Result<Finished> run_process(const Command& command);

/// The first line of its output, standard error first: for one-line error messages. Empty if there was no output.
[[nodiscard]] std::string first_words(const Finished& finished);
/// Returns "exit status 4" or "signal 11".
[[nodiscard]] std::string ending_of(const Finished& finished);

/// The first half of run_process: a started child and the reading ends of its output. Also handles a side effect of a
/// start: until a child executes its program, it has a copy of every open descriptor of this process.

/// Owned by the caller: the child is to be waited for, both descriptors (non-blocking) to be closed. The child is
/// killed when the thread that started it ends.
struct Spawned {
    pid_t child{};
    int out{-1};
    int err{-1};
};

/// Fails with bad_request (a descriptor number below 3), no_permission, io_failed.
[[nodiscard]] Result<Spawned> spawn(const std::string& path, const Command& command);

/// To be held from a fork until the child has closed its copies, by code that forks without spawn().
[[nodiscard]] std::shared_lock<std::shared_mutex> begin_start();

/// Returns when no child has a copy of a descriptor that was closed before this call: a device that was held
/// exclusively is free, and a file that was open is not. Takes as long as the starts that are under way: some
/// milliseconds, more on a busy machine.
void wait_for_starts();

/// Forks a child in which only `kept` is open, runs `work` there with it, and ends it. This process may have threads,
/// so `work` may call only functions that are safe in a signal handler. Returns the child, to be waited for by the
/// caller, once that has closed its copies of all other descriptors. Fails with io_failed.
[[nodiscard]] Result<pid_t> fork_with(int kept, void (*work)(int kept));

} // namespace mediarig::process
