// SPDX-License-Identifier: GPL-3.0-or-later
/// Which partition node the kernel made for a span of a disk, by sysfs.
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

/// `disk_folder`: of the whole disk, "/sys/dev/block/8:16". Nothing where the kernel has no partition of exactly this
/// start and length. Fails with io_failed where sysfs is not readable as it should be. Source of the units (512 bytes,
/// whatever the disk's sectors are): Linux, Documentation/ABI/stable/sysfs-block.
[[nodiscard]] Result<std::optional<KernelPartition>> kernel_partition(const std::string& disk_folder, Bytes start,
                                                                      Bytes length);

} // namespace mediarig::media
