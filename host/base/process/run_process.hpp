// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs one program and waits for its end: an argument list, never a shell; limited output; a time limit; cancellation.
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

/// Folders of system tools. Used instead of $PATH, which often lacks the sbin folders and which the caller controls.
inline constexpr const char* system_search_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A descriptor of this process that the child receives with the number `childs` (3 or more). The child inherits no
/// other descriptor.
struct InheritedDescriptor {
    int ours{-1};
    int childs{3};
};

struct Command {
    std::string program;                ///< a name to find in `search_path`, or a path with a slash
    std::vector<std::string> arguments; ///< without the program's own name
    std::vector<InheritedDescriptor> inherit{};
    std::chrono::milliseconds time_limit{60'000};
    Bytes output_limit{1_MiB}; ///< per stream; further output is read and dropped
    std::string search_path{system_search_path};
    const std::atomic<bool>* cancel{}; ///< checked about fifty times per second
    std::string input{};               ///< standard input of the program; empty: /dev/null
    std::optional<Sandbox> sandbox{};  ///< empty: the rights of this process
    /// If set, requires `sandbox`: the program starts in the first mount namespace of this process, and its mount(2) is
    /// intercepted. The function is called with the listener (see mount_request.hpp) before the start, on a thread with
    /// the rights of the program; threads that this thread starts have the same rights. Must not block.
    std::function<void(Descriptor)> answer_mounts{};
    std::vector<std::string> environment{}; ///< complete, as "NAME=value"; empty: see run_process()
};

/// The end of a program. A non-zero exit status is a result of the program, not an error of run_process.
struct Finished {
    int exit_status{};         ///< 0-255; meaningless when `signal` is set
    std::optional<int> signal; ///< set if a signal ended the program
    std::string out, err;      ///< unmodified, at most `output_limit` each
    bool truncated{};          ///< the output exceeded the limit
    std::chrono::nanoseconds elapsed{};
    [[nodiscard]] bool succeeded() const { return !signal && exit_status == 0; }
};

/// The absolute path of an executable file. Fails with no_driver; the error names the program.
[[nodiscard]] Result<std::string> find_program(const std::string& program,
                                               const std::string& search_path = system_search_path);

/// The child is killed when this process dies, also by SIGKILL; descendants of the child are not. Standard input of the
/// child is `input` or /dev/null. The child gets `environment`, or only PATH and LC_ALL=C.UTF-8 (so that its output can
/// be parsed and UTF-8 arguments are understood), default signals, and a separate process group. When the time limit is
/// exceeded or on cancellation, the group gets SIGTERM, then SIGKILL. Returns when the program has ended, even if a
/// descendant keeps the output open. Fails with no_driver (no such program), no_permission, io_failed, timed_out,
/// cancelled.
[[nodiscard]] Result<Finished> run_process(const Command& command);

/// The first line of the program's output, standard error first: for one-line error messages. Empty if there was no
/// output.
[[nodiscard]] std::string first_words(const Finished& finished);
/// Returns "exit status 4" or "signal 11".
[[nodiscard]] std::string ending_of(const Finished& finished);

/// A started child and the reading ends of its output. The caller must wait for the child and close both descriptors
/// (non-blocking). The child is killed when the thread that started it ends. Until it executes its program, it has a
/// copy of every open descriptor of this process; see wait_for_starts().
struct SpawnedChild {
    pid_t child{};
    int out{-1};
    int err{-1};
};

/// Fails with bad_request (a descriptor number below 3), no_permission, io_failed.
[[nodiscard]] Result<SpawnedChild> spawn(const std::string& path, const Command& command);

/// Code that forks without spawn() must hold the result from the fork until the child has closed its copies of
/// descriptors.
[[nodiscard]] std::shared_lock<std::shared_mutex> begin_start();

/// Returns when no child has a copy of a descriptor that was closed before this call: then a device that this process
/// held exclusively is free, and no child keeps a closed file open. Waits only for starts in progress: some
/// milliseconds, more on a busy machine.
void wait_for_starts();

/// Forks a child that has only the descriptor `kept` open, runs `work` in the child, and ends the child. This process
/// may have threads, so `work` may call only functions that are safe in a signal handler. Returns after the child has
/// closed its copies of all other descriptors; the caller must wait for the child. Fails with io_failed.
[[nodiscard]] Result<pid_t> fork_with(int kept, void (*work)(int kept));

} // namespace mediarig::process
