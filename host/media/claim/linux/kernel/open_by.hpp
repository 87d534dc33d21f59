// SPDX-License-Identifier: GPL-3.0-or-later
/// Which programs have a device or a file open, as far as /proc shows it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// "process 812 (dd), process 900 (sh)", at most three, without `except`; empty where none can be seen. For messages.
[[nodiscard]] std::string open_by(DeviceNumber device, pid_t except);
/// The same of those that can write to it.
[[nodiscard]] std::string written_by(DeviceNumber device, pid_t except);

/// The same of those that have files open below `path` or stand in it.
[[nodiscard]] std::string used_below(const std::string& path);

/// A look through all processes, and whether it was complete: who decides by it has to ask.
class ProcessSearch {
public:
    /// `most`: processor time that may be spent, however loaded the machine is.
    explicit ProcessSearch(std::chrono::nanoseconds most);
    [[nodiscard]] bool is_over() const; ///< no time left: no further process is looked at
    /// Why a process may have been missed; empty where each was looked at, but for process 1 where that is closed.
    [[nodiscard]] std::string missed() const;
    void could_not_look(const std::string& path, int error);

private:
    std::chrono::nanoseconds until_;
    std::string missed_;
};

/// The same of one file under several identities: an overlay gives it one more than it has.
[[nodiscard]] std::string open_by(const std::vector<FileIdentity>& file, pid_t except, ProcessSearch& search);
/// Which programs have the file in their memory, whether they have it open or not.
[[nodiscard]] std::string mapped_by(const std::vector<FileIdentity>& file, ProcessSearch& search);

} // namespace mediarig::media
