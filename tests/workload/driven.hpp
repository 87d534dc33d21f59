// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a job in a separate process under a tool that observes it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "host/workload/json.hpp"
#include "tests/json.hpp"
#include "tests/workload/machine.hpp"

namespace mediarig::tests {

struct Driven {
    int status{};
    nlohmann::json report; ///< null without a report
};

/// `watcher` precedes the command, e.g. "strace -o FILE". May be empty.
inline Driven drive(const std::string& watcher, const workload::JobSpec& job, const Folder& folder,
                    const std::string& kind, const std::string& target, const std::string& options = {}) {
    std::ofstream(folder.path("job.json")) << workload::to_json(job).dump();
    const char* driver = std::getenv("MEDIARIG_WORKLOAD_DRIVER");
    const Ran ran = run(watcher + " " + std::string(driver ? driver : "workload_driver") + " " + options + " " +
                        folder.path("job.json") + " " + kind + " " + target);
    return {ran.status, nlohmann::json::parse(ran.output, nullptr, false)};
}

} // namespace mediarig::tests
