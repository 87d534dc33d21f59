// SPDX-License-Identifier: GPL-3.0-or-later
/// The other program: a process that begins one activity of the matrix and keeps it until it is ended.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "tests/claim/matrix.hpp"

namespace mediarig::claim_scenarios {

struct CellUse {
    Activity activity{};
    std::string path;           ///< by which the program reaches the object
    std::string place;          ///< a free path below `base`, for mount points
    std::string file_system;    ///< of the object's volume, where it is to be mounted
    std::string base;           ///< the tmpfs of the scenarios
    bool elsewhere{};           ///< in a mount namespace of its own
    std::function<int()> enter; ///< runs in the process before the use; 0 or an errno
};

class CellUser {
public:
    CellUser() = default;
    ~CellUser();
    CellUser(const CellUser&) = delete;
    CellUser& operator=(const CellUser&) = delete;

    /// Returns when the activity has begun. 0 or an errno; ENOENT where a program is missing.
    [[nodiscard]] int start(const CellUse& use);
    /// Ends the process, its mounts and its swap, which is switched off by `own_name`. 0 or an errno.
    int end(const std::string& own_name);
    [[nodiscard]] pid_t process() const { return process_; }
    /// Whether the process is alive.
    [[nodiscard]] bool stands() const;

private:
    CellUse use_;
    pid_t process_{-1};
};

} // namespace mediarig::claim_scenarios
