// SPDX-License-Identifier: GPL-3.0-or-later
/// System calls that block indefinitely if a FUSE or network server does not respond, made in a child process.
#pragma once

#include <linux/loop.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>

#include <string>

#include "host/base/descriptor.hpp"

namespace mediarig::media {

/// Each call returns 0 or an errno: ETIMEDOUT if there was no answer within two seconds, or within a fraction of a
/// second if the same call timed out before in this process. The child starts with the first call. After a timeout it
/// is replaced, because a process that is blocked in the kernel cannot always be killed. It has none of this process's
/// files open. Not thread-safe.
class BoundedCalls {
public:
    BoundedCalls() = default;
    BoundedCalls(const BoundedCalls&) = delete;
    BoundedCalls& operator=(const BoundedCalls&) = delete;
    ~BoundedCalls();

    /// stat(2)
    [[nodiscard]] int stat(const std::string& path, struct stat& found);

    /// statfs(2)
    [[nodiscard]] int statfs(const std::string& path, struct statfs& found);

    struct LoopStatus {
        struct stat node {};
        int failed_status{}; ///< errno of LOOP_GET_STATUS64; 0: `info` is set
        loop_info64 info{};
    };
    /// Opens the node of a loop device and queries its status. Returns the errno of the open.
    [[nodiscard]] int loop_status(const std::string& node, LoopStatus& found);

private:
    template <class Answer>
    [[nodiscard]] int call(char kind, const std::string& path, Answer& answer);
    [[nodiscard]] int start();
    void end();
    Descriptor line_;
    pid_t child_{-1};
};

} // namespace mediarig::media
