// SPDX-License-Identifier: GPL-3.0-or-later
/// A child process whose standard input and output are one end of a socket pair, and whose standard error is a pipe.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::agent {

/// How a child ended: "exit status 3", "signal 9 (Killed)".
struct ChildEnd {
    bool in_order{}; ///< exit status 0
    std::string text;
    std::optional<int> status{}; ///< where it exited
};

class Child {
public:
    /// What the parent keeps; the receiver owns both.
    struct Ends {
        int socket{-1};
        int errors{-1};
    };

    /// In a process group of its own, so that Ctrl-C on the terminal reaches the controller alone, which then ends the
    /// agent in order. Fails with bad_request (no such program), no_permission, io_failed.
    static Result<std::pair<Child, Ends>> spawn(const std::vector<std::string>& argv);

    /// Nothing while it runs; collects it otherwise.
    std::optional<ChildEnd> poll();
    /// Does nothing once it has been collected. False where the system forbids it (a child of another user).
    bool signal(int number);
    /// Lets it end by itself, also after this process is gone; where it has not after `grace`, it gets SIGKILL from a
    /// process that lives no longer than that. False where the system allows none.
    bool kill_after(std::chrono::milliseconds grace);

private:
    explicit Child(pid_t pid) : pid_(pid) {}
    pid_t pid_;
    std::optional<ChildEnd> end_;
};

} // namespace mediarig::agent
