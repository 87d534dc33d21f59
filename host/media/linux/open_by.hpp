// SPDX-License-Identifier: GPL-3.0-or-later
/// Which programs have a block device open, as far as /proc shows it.
#pragma once

#include <sys/types.h>

#include <string>

#include "host/media/medium.hpp"

namespace mediarig::media {

/// "process 812 (dd), process 900 (sh)", at most three, without `except`; empty where none can be seen.
[[nodiscard]] std::string open_by(DeviceNumber device, pid_t except);

} // namespace mediarig::media
