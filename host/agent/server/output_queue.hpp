// SPDX-License-Identifier: GPL-3.0-or-later
/// Output lines for a controller that may read slowly. Bounded: a full queue blocks results and drops progress.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace mediarig::agent {

class OutputQueue {
public:
    /// `free_space`: number of queued bytes from which results block.
    explicit OutputQueue(std::size_t free_space) : limit_(free_space) {}

    /// Adds an answer; never blocks, because the connection's thread must not wait. The answer is dropped after
    /// close().
    void push(std::string line);
    /// Adds a progress line only if the queue is nearly empty, because the next progress line supersedes it. False if
    /// the line was dropped.
    bool push_if_idle(std::string line);
    /// Adds a result from the job's thread, which waits for free space. False after close().
    bool push_blocking(std::string line);

    /// Removes up to about 256 KiB as one block; empty if nothing is queued.
    [[nodiscard]] std::string take();
    [[nodiscard]] std::size_t bytes() const;
    /// Reports that the reader has disconnected: wakes waiting threads and drops the queue.
    void close();

private:
    static constexpr std::size_t idle_below = std::size_t{64} << 10;
    static constexpr std::size_t piece = std::size_t{256} << 10;

    const std::size_t limit_;
    mutable std::mutex mutex_;
    std::condition_variable space_freed_;
    std::deque<std::string> lines_;
    std::size_t bytes_{0};
    bool closed_{false};
};

} // namespace mediarig::agent
