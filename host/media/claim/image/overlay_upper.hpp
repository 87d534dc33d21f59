// SPDX-License-Identifier: GPL-3.0-or-later
/// The upper file: the file below an overlay that contains the bytes of a file opened through the overlay.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

[[nodiscard]] bool is_on_overlay(const Descriptor& file);
/// Device number of the file's mount in the kernel's mount table; on btrfs it differs from that of stat(2). Empty if
/// unknown.
[[nodiscard]] std::optional<dev_t> device_of_mount(const Descriptor& file);
/// Reason why an overlay of some mount namespace may show the file under another path, device and inode; empty if no
/// overlay does. Reasons: the file is in a directory of that overlay; the upper directory of an overlay cannot be found
/// with certainty (relative path, renamed or replaced since, not visible in this namespace); or a loop device is on a
/// file with the same inode number on a file system without a device. If the file has several names, or was opened
/// through a mount of a directory, an overlay on the same file system counts.
[[nodiscard]] std::string overlay_over(const process::FoundFile& file);

/// `file` must be open for writing, so that its upper file exists. Returns an O_PATH descriptor, which does not affect
/// leases. Fails with refused if the upper file cannot be found: the overlay or its upper directory is in another mount
/// namespace.
[[nodiscard]] Result<Descriptor> find_upper_file(const process::FoundFile& file);

} // namespace mediarig::media
