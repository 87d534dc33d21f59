// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: which block devices the kernel has, and what udev knows of them. Two adapters: libudev, and plain sysfs for a
/// static program or a machine without udev.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/result.hpp"

namespace mediarig::media {

struct BlockEntry {
    std::string name;       ///< kernel name: "sda1", "cciss!c0d0"
    std::string sysfs_path; ///< physical path, starting with "/sys/devices/"
    /// udev's properties ("ID_FS_TYPE" → "exfat"); empty where udev has none.
    std::map<std::string, std::string> properties;
};

class BlockDirectory {
public:
    virtual ~BlockDirectory() = default;
    /// Disks and partitions, in the order of their names. Fails with io_failed.
    [[nodiscard]] virtual Result<std::vector<BlockEntry>> entries() = 0;
};

[[nodiscard]] std::unique_ptr<BlockDirectory> make_sysfs_directory();
/// Only where the program links libudev (target mediarig::media_linux).
[[nodiscard]] std::unique_ptr<BlockDirectory> make_udev_directory();

} // namespace mediarig::media
