// SPDX-License-Identifier: GPL-3.0-or-later
/// Processes of one campaign, and resources that the campaign left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mediarig::e2e {

/// The children of a process that run `program`.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent, const std::string& program);
/// Returns false if the process has ended, whether it was reaped or not.
[[nodiscard]] bool is_running(pid_t process);

/// Records the agents of a controller, so that their resources can be found after their end.
class ResourceLeaks {
public:
    explicit ResourceLeaks(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Records the present agents of a controller.
    void inspect_process(pid_t controller);
    /// Loop devices, mounts, processes, folders and lock files that are left, one line each.
    [[nodiscard]] std::vector<std::string> list() const;
    /// Polls until nothing is left, for at most `within`. Returns the elapsed time.
    [[nodiscard]] std::chrono::milliseconds wait_until_gone(std::chrono::seconds within) const;

private:
    std::filesystem::path folder_;
    std::set<pid_t> agents_;
};

} // namespace mediarig::e2e
