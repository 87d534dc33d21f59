// SPDX-License-Identifier: GPL-3.0-or-later
/// Attachment of a device to this machine, derived from its path below /sys/devices. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mediarig::media {

/// Medium::uplinks of the device at this path. Each uplink is named by its path.
[[nodiscard]] std::vector<std::string> uplinks_of(std::string_view sysfs_path);

/// Medium::lun: the last of the four numbers in ".../6:0:0:1/block/sdb"; empty if no SCSI device is in the path.
[[nodiscard]] std::optional<std::uint64_t> lun_of(std::string_view sysfs_path);

} // namespace mediarig::media
