// SPDX-License-Identifier: GPL-3.0-or-later
/// The stacks of block devices: partitions on disks; dm, MD and bcache on partitions; loop devices on other devices.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/claim/linux/kernel/loop_map.hpp"
#include "host/media/claim/linux/kernel/udev_properties.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

struct BlockNode {
    std::string name; ///< "sda1"
    DeviceNumber number;
    std::string sysfs_path;
    std::string disk;                 ///< name of the whole device; the device's own name for a disk
    std::uint32_t partition_number{}; ///< 0 for a whole device
    std::string title;                ///< display name: the dm name, otherwise the kernel name
    std::optional<LoopEntry> loop;    ///< for a loop device with a backing file or device
    bool multipath{};                 ///< a device-mapper device over several paths to one disk
    std::vector<std::string> upon;    ///< names of the devices directly on this one, including partitions
    std::map<std::string, std::string> properties;
    /// Data about the position of the device in the graph that could not be read. Each entry is a reason to refuse the
    /// disk.
    std::vector<std::string> doubts;
};

class BlockGraph {
public:
    /// Fails with io_failed if the devices cannot be listed.
    [[nodiscard]] static Result<BlockGraph> read(const UdevQuery& udev, const LoopMap& loops);

    [[nodiscard]] const std::vector<BlockNode>& nodes() const { return nodes_; }
    [[nodiscard]] const BlockNode* find(const std::string& name) const;
    [[nodiscard]] const BlockNode* find(DeviceNumber number) const;
    /// The disk and all devices directly or indirectly on it, each once.
    [[nodiscard]] std::vector<const BlockNode*> devices_above(const BlockNode& disk) const;

private:
    void connect();
    std::vector<BlockNode> nodes_;
};

/// "/dev/sda" for "sda"; kernel names contain '!' for '/'.
[[nodiscard]] std::string node_path(const std::string& name);
/// Number of the block device at a path; empty if the path names no block device.
[[nodiscard]] std::optional<DeviceNumber> number_of_node(const std::string& path);
/// The kernel's node of a device: "/dev/sda1"; empty if the node is missing or belongs to another device.
[[nodiscard]] std::string node_of(DeviceNumber number);

} // namespace mediarig::media
