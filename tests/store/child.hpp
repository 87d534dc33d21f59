// SPDX-License-Identifier: GPL-3.0-or-later
/// A forked process that reports progress over a pipe, one byte a call, and can be killed at any moment.
#pragma once

#include <sys/types.h>

#include <functional>

namespace mediarig::store {

class Child {
public:
    using Acknowledge = std::function<void()>;
    /// `work` runs in the child and must not use the test framework; its result is the exit status.
    explicit Child(const std::function<int(const Acknowledge&)>& work);
    ~Child(); ///< kills what still runs
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Blocks until `count` acknowledgements have come in all, or the child has ended; returns how many have.
    std::size_t wait_for(std::size_t count);
    /// SIGKILL, and waits. Returns whether it was still running; every acknowledgement it gave has then been counted.
    bool kill();
    /// Waits for its end; its exit status, or -1 for a signal.
    int join();
    [[nodiscard]] std::size_t acknowledged() const { return acknowledged_; }

private:
    void drain();

    pid_t pid_{-1};
    int pipe_{-1};
    std::size_t acknowledged_{};
};

} // namespace mediarig::store
