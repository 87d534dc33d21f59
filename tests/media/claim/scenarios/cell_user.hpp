// SPDX-License-Identifier: GPL-3.0-or-later
/// The other program: a process that starts one activity of the matrix and continues the activity until the process
/// ends.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "tests/media/claim/scenarios/matrix.hpp"

namespace mediarig::claim_scenarios {

struct CellUse {
    Activity activity{};
    std::string path;           ///< path by which the program reaches the object
    std::string place;          ///< a free path below `base`, for mount points
    std::string file_system;    ///< file system of the object's volume, for mounts
    std::string base;           ///< the tmpfs of the scenarios
    bool elsewhere{};           ///< the program has its own mount namespace
    std::function<int()> enter; ///< runs in the process before the use; 0 or an errno
};

class CellUser {
public:
    CellUser() = default;
    ~CellUser();
    CellUser(const CellUser&) = delete;
    CellUser& operator=(const CellUser&) = delete;

    /// Returns when the activity has started. Returns 0 or an errno; ENOENT if a program is missing.
    [[nodiscard]] int start(const CellUse& use);
    /// Ends the process and its mounts, and switches off its swap by `own_name`. Returns 0 or an errno.
    int end(const std::string& own_name);
    [[nodiscard]] pid_t process() const { return process_; }
    /// True if the process is alive.
    [[nodiscard]] bool stands() const;

private:
    CellUse use_;
    pid_t process_{-1};
};

} // namespace mediarig::claim_scenarios
