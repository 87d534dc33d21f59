// SPDX-License-Identifier: GPL-3.0-or-later
/// Programs that have a device or a file open, as far as /proc shows them.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "host/media/claim/linux/kernel/process_search.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// "process 812 (dd), process 900 (sh)", at most three, without `except`; empty if none is visible. For messages.
[[nodiscard]] std::string open_by(DeviceNumber device, pid_t except);
/// The same of those that have files open below `path` or stand in it.
[[nodiscard]] std::string used_below(const std::string& path);

/// Whether `shown`, of an overlay or of FUSE that passes files on, is that of `file` under another device and inode:
/// all else that it shows is of the file below, and no two files share a time of change to the nanosecond.
[[nodiscard]] bool shows_same_file(const struct stat& shown, const struct stat& file);

struct SoughtFile {
    std::vector<FileIdentity> identities;
    /// Set: also found where another file system shows it under a number of its own: see shows_same_file().
    std::optional<struct stat> also_as;
};
/// The same of a file.
[[nodiscard]] std::string open_by(const SoughtFile& file, pid_t except, ProcessSearch& search);
/// Which programs have the file in their memory, whether they have it open or not.
[[nodiscard]] std::string mapped_by(const SoughtFile& file, ProcessSearch& search);

} // namespace mediarig::media
