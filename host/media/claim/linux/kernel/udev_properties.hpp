// SPDX-License-Identifier: GPL-3.0-or-later
/// What udev knows of a block device beside what stands in sysfs.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace mediarig::media {

/// "ID_FS_TYPE" → "exfat"; empty where udev knows nothing of the device at this physical path ("/sys/devices/…").
using AskUdev = std::function<std::map<std::string, std::string>(const std::string& sysfs_path)>;

/// For a static program, or a machine without udev.
[[nodiscard]] inline AskUdev without_udev() {
    return [](const std::string&) { return std::map<std::string, std::string>(); };
}
/// Only where the program links libudev (target mediarig::media_linux).
[[nodiscard]] AskUdev with_udev();

} // namespace mediarig::media
