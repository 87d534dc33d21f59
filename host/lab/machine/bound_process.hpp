// SPDX-License-Identifier: GPL-3.0-or-later
/// A child process that does not outlive its parent, however that ends.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::lab {

class BoundProcess {
public:
    /// `program` is a path. Standard output and error go to `log`, which is made anew; nothing else is inherited but
    /// the environment. In a process group of its own, so that Ctrl-C on the terminal reaches the controller alone. The
    /// kernel kills it when the thread that called this ends. Fails with no_permission, io_failed.
    [[nodiscard]] static Result<BoundProcess> start(const std::string& program,
                                                    const std::vector<std::string>& arguments, const std::string& log);

    BoundProcess(BoundProcess&& other) noexcept;
    BoundProcess& operator=(BoundProcess&& other) noexcept;
    BoundProcess(const BoundProcess&) = delete;
    BoundProcess& operator=(const BoundProcess&) = delete;
    /// Kills it and waits for its end.
    ~BoundProcess();

    /// "exit status 1", "signal 9 (Killed)"; nothing while it runs.
    [[nodiscard]] std::optional<std::string> ended();
    void kill();
    [[nodiscard]] pid_t id() const { return pid_; }

private:
    explicit BoundProcess(pid_t pid) : pid_(pid) {}
    pid_t pid_{-1};
    std::optional<std::string> ended_;
};

} // namespace mediarig::lab
