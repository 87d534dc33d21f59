// SPDX-License-Identifier: GPL-3.0-or-later
/// Makes system calls in a child process, because they block indefinitely if a FUSE or network server does not respond.
#pragma once

#include <linux/loop.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>

#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

/// Each call returns 0 or an errno: ETIMEDOUT if the call did not return within two seconds, or within a fraction of a
/// second if the same call timed out before in this process. The first call starts the child process. After a timeout
/// the child is replaced, because a process that is blocked in the kernel cannot always be killed. The child has none
/// of this process's files open. Not thread-safe.
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
        int failed_status{}; ///< errno of LOOP_GET_STATUS64; 0 if `info` is set
        loop_info64 info{};
    };
    /// Opens the node of a loop device and queries its status. Returns the errno of the open.
    [[nodiscard]] int loop_status(const std::string& node, LoopStatus& found);

    /// Opens a block device and reads its first 4 KiB past the cache.
    [[nodiscard]] int read_first(const std::string& node);

private:
    template <class Answer>
    [[nodiscard]] int call(char kind, const std::string& path, Answer& answer);
    [[nodiscard]] int start();
    void end();
    Descriptor line_;
    pid_t child_{-1};
};

/// Fails with timed_out if stat(2) of the path does not return within the time limit: the server of its file system is
/// stopped or unreachable. Succeeds in all other cases, also for a missing file. Uses the rights of this thread.
[[nodiscard]] Result<void> check_path_responds(const std::string& path);
/// Fails with timed_out if a read of the block device does not return within the time limit. Succeeds in all other
/// cases, also if the read fails.
[[nodiscard]] Result<void> check_device_responds(const std::string& node);

} // namespace mediarig::media
