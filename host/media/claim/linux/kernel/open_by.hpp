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

/// "process 812 (dd), process 900 (sh)", at most three, without process `except`; empty if no process is visible. For
/// messages.
[[nodiscard]] std::string open_by(DeviceNumber device, pid_t except);
/// Like open_by(), for processes that have files open below `path` or have their working directory there.
[[nodiscard]] std::string users_below(const std::string& path);

/// True if `shown`, from an overlay or a FUSE file system that passes files through, is `file` under another device and
/// inode: all other attributes are those of the file below, and no two files have the same change time to the
/// nanosecond.
[[nodiscard]] bool shows_same_file(const struct stat& shown, const struct stat& file);

struct SoughtFile {
    std::vector<FileIdentity> identities;
    /// If set, the search also finds the file on another file system that shows it under another device number: see
    /// shows_same_file().
    std::optional<struct stat> also_as;
};
/// Like open_by() for a device, but for a file.
[[nodiscard]] std::string open_by(const SoughtFile& file, pid_t except, ProcessSearch& search);
/// Processes that have the file mapped, whether or not they have it open.
[[nodiscard]] std::string mapped_by(const SoughtFile& file, ProcessSearch& search);

} // namespace mediarig::media
