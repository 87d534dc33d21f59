// SPDX-License-Identifier: GPL-3.0-or-later
/// Lines on their way to a controller that may read slowly. Bounded: who makes results waits; progress is dropped.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace mediarig::agent {

class OutputQueue {
public:
    /// `room`: bytes from which on the blocking thread waits.
    explicit OutputQueue(std::size_t room) : room_(room) {}

    /// Answers; never waits, so that the thread of the line stays awake. Dropped once closed.
    void push(std::string line);
    /// Only while little is under way: for lines that the next one makes worthless. False if it was dropped.
    bool push_if_idle(std::string line);
    /// Results, from the blocking thread: waits for room. False once closed.
    bool push_when_room(std::string line);

    /// Everything up to about 256 KiB as one piece; empty where nothing waits.
    [[nodiscard]] std::string take();
    [[nodiscard]] std::size_t bytes() const;
    /// Nobody reads any more: wakes who waits, drops what is left.
    void close();

private:
    static constexpr std::size_t idle_below = std::size_t{64} << 10;
    static constexpr std::size_t piece = std::size_t{256} << 10;

    const std::size_t room_;
    mutable std::mutex mutex_;
    std::condition_variable room_made_;
    std::deque<std::string> lines_;
    std::size_t bytes_{0};
    bool closed_{false};
};

} // namespace mediarig::agent
