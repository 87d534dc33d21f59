// SPDX-License-Identifier: GPL-3.0-or-later
/// A forked process that reports progress over a pipe, one byte per call, and can be killed at any moment.
#pragma once

#include <sys/types.h>

#include <functional>

namespace mediarig::store {

class Child {
public:
    using Acknowledge = std::function<void()>;
    /// `work` runs in the child and must not use the test framework; its result is the exit status.
    explicit Child(const std::function<int(const Acknowledge&)>& work);
    ~Child(); ///< kills a running child
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// Blocks until `count` acknowledgements have arrived in total, or the child has ended. Returns their number.
    std::size_t wait_for(std::size_t count);
    /// Sends SIGKILL and waits. Returns true if the child was still running. All acknowledgements of the child have
    /// then been counted.
    bool kill();
    /// Waits for the end of the child. Returns its exit status, or -1 for a signal.
    int join();
    [[nodiscard]] std::size_t acknowledged() const { return acknowledged_; }

private:
    void drain();

    pid_t pid_{-1};
    int pipe_{-1};
    std::size_t acknowledged_{};
};

} // namespace mediarig::store
