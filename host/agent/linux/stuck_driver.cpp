// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/stuck_driver.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace mediarig::agent {

std::jthread end_stuck_driver(const workload::Target& target, const workload::JobControl& control) {
    using namespace std::chrono_literals;
    if (!target.end_driver) return {};
    return std::jthread([end = target.end_driver, &control](const std::stop_token& over) {
        constexpr auto between_looks = 100ms;
        constexpr auto patience = 500ms;
        std::mutex mutex;
        std::condition_variable_any job_over;
        std::unique_lock lock(mutex);
        const auto wait = [&](std::chrono::milliseconds time) {
            return job_over.wait_for(lock, over, time, [&] { return over.stop_requested(); });
        };
        while (!control.cancel)
            if (wait(between_looks)) return;
        if (!wait(patience)) end();
    });
}

} // namespace mediarig::agent
