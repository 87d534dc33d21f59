// SPDX-License-Identifier: GPL-3.0-or-later
/// Programs that have a device or a file open, as far as /proc shows them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// "process 812 (dd), process 900 (sh)", at most three, without `except`; empty if none is visible. For messages.
[[nodiscard]] std::string open_by(DeviceNumber device, pid_t except);
/// Like open_by(), only processes that can write to the device.
[[nodiscard]] std::string written_by(DeviceNumber device, pid_t except);

/// Like open_by(), processes with open files or their working directory below `path`.
[[nodiscard]] std::string used_below(const std::string& path);

/// Search of all processes. Callers that base decisions on the result must check missed().
class ProcessSearch {
public:
    /// `most`: limit of processor time, independent of the load of the machine.
    explicit ProcessSearch(std::chrono::nanoseconds most);
    [[nodiscard]] bool is_over() const; ///< time limit reached: no further process is checked
    /// Reason why a process may have been missed; empty if all were checked, except an unreadable process 1.
    [[nodiscard]] std::string missed() const;
    void could_not_look(const std::string& path, int error);

private:
    std::chrono::nanoseconds until_;
    std::string missed_;
};

/// Like open_by(), for one file under several identities: an overlay adds a second one.
[[nodiscard]] std::string open_by(const std::vector<FileIdentity>& file, pid_t except, ProcessSearch& search);
/// Processes that map the file, with or without an open descriptor.
[[nodiscard]] std::string mapped_by(const std::vector<FileIdentity>& file, ProcessSearch& search);

} // namespace mediarig::media
