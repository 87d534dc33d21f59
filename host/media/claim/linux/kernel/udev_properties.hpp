// SPDX-License-Identifier: GPL-3.0-or-later
/// Properties of a block device in the udev database.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace mediarig::media {

/// "ID_FS_TYPE" → "exfat"; empty if udev has no data about the device at this physical path ("/sys/devices/…").
using UdevQuery = std::function<std::map<std::string, std::string>(const std::string& sysfs_path)>;

/// For a static program or a machine without udev.
[[nodiscard]] inline UdevQuery without_udev() {
    return [](const std::string&) { return std::map<std::string, std::string>(); };
}
/// Available only if the program links libudev (target mediarig::media_linux).
[[nodiscard]] UdevQuery with_udev();

} // namespace mediarig::media
