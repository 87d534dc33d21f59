// SPDX-License-Identifier: GPL-3.0-or-later
/// The kernel's partition node for a span of a disk, found in sysfs.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

struct KernelPartition {
    std::string name; ///< "sdb1"
    DeviceNumber number;
    bool operator==(const KernelPartition&) const = default;
};

/// `disk_folder`: folder of the whole disk, "/sys/dev/block/8:16". Empty if the kernel has no partition with exactly
/// this start and length. Fails with io_failed if sysfs cannot be read or parsed. Source of the units (512 bytes,
/// whatever the disk's sector size): Linux, Documentation/ABI/stable/sysfs-block.
[[nodiscard]] Result<std::optional<KernelPartition>> kernel_partition(const std::string& disk_folder, Bytes start,
                                                                      Bytes length);

} // namespace mediarig::media
