// SPDX-License-Identifier: GPL-3.0-or-later
/// System calls that wait without limit where a FUSE or network server does not respond, made in a child process.
#pragma once

#include <linux/loop.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>

#include <string>

#include "host/descriptor.hpp"

namespace mediarig::media {

/// Each call returns 0 or an errno; ETIMEDOUT if there was no answer within two seconds, or within a fraction of one if
/// the same call timed out before in this process. The child starts with the first call, is replaced after a timeout
/// (what hangs in the kernel cannot always be ended), and has none of this process's files open. Not for several
/// threads at once.
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
    /// Opens the node of a loop device and asks for its status. Returns the result of the opening.
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
