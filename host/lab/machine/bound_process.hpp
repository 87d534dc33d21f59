// SPDX-License-Identifier: GPL-3.0-or-later
/// A child process that ends when its parent ends for any reason.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::lab {

class BoundProcess {
public:
    /// `program` is a path. Standard output and error go to a new file `log`; the child inherits nothing else except
    /// the environment and `files`, which become its descriptors 3, 4, and so on. It has its own process group, so that
    /// Ctrl-C on the terminal reaches only the controller. The kernel kills it when the calling thread ends. Fails with
    /// no_permission, io_failed.
    [[nodiscard]] static Result<BoundProcess> start(const std::string& program,
                                                    const std::vector<std::string>& arguments, const std::string& log,
                                                    const std::vector<int>& files = {});

    BoundProcess(BoundProcess&& other) noexcept;
    BoundProcess& operator=(BoundProcess&& other) noexcept;
    BoundProcess(const BoundProcess&) = delete;
    BoundProcess& operator=(const BoundProcess&) = delete;
    /// Kills the process and waits for its exit.
    ~BoundProcess();

    /// Returns "exit status 1", "signal 9 (Killed)"; nothing while the process runs.
    [[nodiscard]] std::optional<std::string> ended();
    /// Kills the process and its children in its group.
    void kill();
    [[nodiscard]] pid_t id() const { return pid_; }

private:
    explicit BoundProcess(pid_t pid) : pid_(pid) {}
    pid_t pid_{-1};
    std::optional<std::string> ended_;
};

} // namespace mediarig::lab
