// SPDX-License-Identifier: GPL-3.0-or-later
/// Which block device stands on which: partitions on disks, dm, MD and bcache on partitions, loops on devices.
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
    std::string disk;                 ///< name of the whole device: its own for a disk
    std::uint32_t partition_number{}; ///< 0 for a whole device
    std::string title;                ///< what people call it: the dm name, else the kernel name
    std::optional<LoopEntry> loop;    ///< of a loop device with something attached
    bool multipath{};                 ///< a device-mapper device over several paths to one disk
    std::vector<std::string> upon;    ///< names of what stands on it, partitions included
    std::map<std::string, std::string> properties;
    /// What could not be read about its place in the graph: each is a reason not to touch its disk.
    std::vector<std::string> doubts;
};

class BlockGraph {
public:
    /// Fails with io_failed where the devices cannot even be listed.
    [[nodiscard]] static Result<BlockGraph> read(const AskUdev& udev, const LoopMap& loops);

    [[nodiscard]] const std::vector<BlockNode>& nodes() const { return nodes_; }
    [[nodiscard]] const BlockNode* find(const std::string& name) const;
    [[nodiscard]] const BlockNode* find(DeviceNumber number) const;
    /// The disk itself, then everything that stands on it, directly or not; each once.
    [[nodiscard]] std::vector<const BlockNode*> stack_on(const BlockNode& disk) const;

private:
    void connect();
    std::vector<BlockNode> nodes_;
};

/// "/dev/sda" for "sda"; the kernel writes '!' for '/' in names.
[[nodiscard]] std::string node_path(const std::string& name);
/// The number of the block device at a path; nothing where there is none.
[[nodiscard]] std::optional<DeviceNumber> number_of_node(const std::string& path);
/// The kernel's own node of a device: "/dev/sda1"; empty where there is none, or another device's.
[[nodiscard]] std::string node_of(DeviceNumber number);

} // namespace mediarig::media
