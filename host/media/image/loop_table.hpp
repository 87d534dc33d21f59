// SPDX-License-Identifier: GPL-3.0-or-later
/// Which loop device a file is attached to.
#pragma once

#include <sys/stat.h>

#include <string>

#include "host/result.hpp"

namespace mediarig::media {

/// The name ("loop3") of a loop device that stands on this very file, by device and inode, whatever path it was
/// attached by; empty where none. Fails with io_failed where the loop devices cannot be listed.
[[nodiscard]] Result<std::string> loop_standing_on(const struct stat& file);

} // namespace mediarig::media
