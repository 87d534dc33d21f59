// SPDX-License-Identifier: GPL-3.0-or-later
/// The file below an overlay that holds the bytes of one which is open through the overlay.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

[[nodiscard]] bool is_on_overlay(const Descriptor& file);
/// The device that the kernel's tables give for the file's mount: on btrfs it is not the one of stat(2). Nothing where
/// that is not told.
[[nodiscard]] std::optional<dev_t> device_of_mount(const Descriptor& file);
/// Why an overlay of some mount namespace may show the file under other names and numbers, without its path: it lies in
/// a directory of that overlay, or the upper directory of one cannot be found with certainty (named from another
/// folder, renamed or replaced since, not visible from here), or a loop device stands on a file of the same inode
/// number of a file system without a device. Empty where none does. For a file with several names, or one that is
/// seen through a mount of a directory, an overlay of the same file system counts.
[[nodiscard]] std::string overlay_over(const process::FoundFile& file);

/// `file` is open for writing, so that its upper file exists. O_PATH: opening it so is seen by no lease.
/// Fails with refused where that file cannot be found from here: the overlay is of another mount namespace, or its
/// upper directory is.
[[nodiscard]] Result<Descriptor> find_upper_file(const process::FoundFile& file);

} // namespace mediarig::media
