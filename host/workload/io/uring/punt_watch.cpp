// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/uring/punt_watch.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace mediarig::workload {

PuntWatch::PuntWatch(std::string tasks) : tasks_(std::move(tasks)), before_(count()) {}

std::uint64_t PuntWatch::worker_switches() const {
    const std::uint64_t after = count();
    return after > before_ ? after - before_ : 0; // the count of an ended worker is lost
}

std::uint64_t PuntWatch::count() const {
    std::uint64_t switches = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator task(tasks_, error), end; !error && task != end; task.increment(error)) {
        std::ifstream status(task->path() / "status");
        std::string line;
        bool worker = false;
        while (std::getline(status, line)) {
            // A worker that receives its next task immediately has only involuntary switches, so both counters are
            // added.
            constexpr std::string_view counter = "voluntary_ctxt_switches:";
            if (line.starts_with("Name:")) worker = line.find("iou-wrk-") != std::string::npos;
            if (const auto at = line.find(counter); worker && at != std::string::npos)
                switches += std::strtoull(line.c_str() + at + counter.size(), nullptr, 10);
        }
    }
    return switches;
}

} // namespace mediarig::workload
