// SPDX-License-Identifier: GPL-3.0-or-later
/// A child process with one end of a socket pair as standard input and output and a pipe as standard error.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::agent {

/// End of a child: "exit status 3", "signal 9 (Killed)".
struct ChildEnd {
    bool in_order{}; ///< exit status 0
    std::string text;
    std::optional<int> status{}; ///< exit status, if the child exited
};

class Child {
public:
    /// The parent's ends of the socket pair and of the pipe. The caller owns both descriptors.
    struct ChildStreams {
        int socket{-1};
        int errors{-1};
    };

    /// Starts a child in its own process group: Ctrl-C on the terminal reaches only the controller, which then ends the
    /// agent properly. Fails with bad_request (no such program), no_permission, io_failed.
    static Result<std::pair<Child, ChildStreams>> spawn(const std::vector<std::string>& argv);

    /// Returns nothing while the child runs; otherwise reaps the child.
    std::optional<ChildEnd> poll();
    /// True if the agent has begun to exit: the child itself, or the process below it if the child is sudo. A killed
    /// process whose driver or device does not respond remains in this state, with its connection to the controller
    /// open.
    [[nodiscard]] bool is_exiting() const;
    /// Sends a signal. No effect after the child was reaped. False if the system forbids the signal (a child of another
    /// user).
    bool signal(int number);
    /// Lets the child end without a signal, even after this process has ended; after `grace` a helper process sends
    /// SIGKILL and exits. False if the helper could not be started.
    bool kill_after(std::chrono::milliseconds grace);

private:
    explicit Child(pid_t pid) : pid_(pid) {}
    pid_t pid_;
    std::optional<ChildEnd> end_;
};

} // namespace mediarig::agent
