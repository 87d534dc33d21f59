// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/server/output_queue.hpp"

#include <utility>

namespace mediarig::agent {

void OutputQueue::push(std::string line) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    bytes_ += line.size();
    lines_.push_back(std::move(line));
}

bool OutputQueue::push_if_idle(std::string line) {
    const std::lock_guard lock(mutex_);
    if (closed_ || bytes_ >= idle_below) return false;
    bytes_ += line.size();
    lines_.push_back(std::move(line));
    return true;
}

bool OutputQueue::push_blocking(std::string line) {
    std::unique_lock lock(mutex_);
    space_freed_.wait(lock, [&] { return closed_ || bytes_ < limit_; });
    if (closed_) return false;
    bytes_ += line.size();
    lines_.push_back(std::move(line));
    return true;
}

std::string OutputQueue::take() {
    std::string taken;
    {
        const std::lock_guard lock(mutex_);
        while (!lines_.empty() && taken.size() < piece) {
            taken += lines_.front();
            lines_.pop_front();
        }
        bytes_ -= taken.size();
    }
    space_freed_.notify_all();
    return taken;
}

std::size_t OutputQueue::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

void OutputQueue::close() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        lines_.clear();
        bytes_ = 0;
    }
    space_freed_.notify_all();
}

} // namespace mediarig::agent
