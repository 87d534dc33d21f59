// SPDX-License-Identifier: GPL-3.0-or-later
/// Which partition node the kernel made for a span of a disk, by sysfs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/media/medium.hpp"
#include "host/result.hpp"

namespace mediarig::media {

struct KernelPartition {
    std::string name; ///< "sdb1"
    DeviceNumber number;
    bool operator==(const KernelPartition&) const = default;
};

/// `disk_folder`: of the whole disk, "/sys/dev/block/8:16". Nothing where the kernel has no partition of exactly this
/// start and length. Fails with io_failed where sysfs is not readable as it should be. Source of the units (512 bytes,
/// whatever the disk's sectors are): Linux, Documentation/ABI/stable/sysfs-block.
[[nodiscard]] Result<std::optional<KernelPartition>> kernel_partition(const std::string& disk_folder, Bytes start,
                                                                      Bytes length);

/// Whether a partition's node appears in `device_folder` with the partition, as in a devtmpfs. A container's /dev is a
/// tmpfs that holds what it was given. `mountinfo`: the text of /proc/self/mountinfo; false where it does not tell.
[[nodiscard]] bool kernel_makes_nodes(std::string_view mountinfo, std::string_view device_folder);

} // namespace mediarig::media
