// SPDX-License-Identifier: GPL-3.0-or-later
/// How a device is attached to this machine, as its path below /sys/devices tells. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::media {

/// Medium::uplinks of what stands at this path. The uplinks are named by the paths that lead to them.
[[nodiscard]] std::vector<std::string> uplinks_of(std::string_view sysfs_path);

/// Medium::lun: the last of the four numbers in ".../6:0:0:1/block/sdb"; nothing where no SCSI device is on the path.
[[nodiscard]] std::optional<std::uint64_t> lun_of(std::string_view sysfs_path);

} // namespace mediarig::media
