// SPDX-License-Identifier: GPL-3.0-or-later
/// Which programs have a device or a file open, as far as /proc shows it. For messages: nothing is decided by it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "host/media/medium.hpp"

namespace mediarig::media {

/// "process 812 (dd), process 900 (sh)", at most three, without `except`; empty where none can be seen.
[[nodiscard]] std::string open_by(DeviceNumber device, pid_t except);
/// Processor time that may be spent on looking through processes, however loaded the machine is.
class LookingTime {
public:
    explicit LookingTime(std::chrono::nanoseconds most);
    [[nodiscard]] bool is_over() const;

private:
    std::chrono::nanoseconds until_;
};

/// The same of one file under several identities: an overlay gives it one more than it has. Looks at no further process
/// once the time is over.
[[nodiscard]] std::string open_by(const std::vector<FileIdentity>& file, pid_t except, const LookingTime& time);
/// Which programs have the file in their memory, whether they have it open or not.
[[nodiscard]] std::string mapped_by(const std::vector<FileIdentity>& file, const LookingTime& time);

} // namespace mediarig::media
