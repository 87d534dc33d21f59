// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/block_graph.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>

#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

void add_name(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// The directory of links `holders` exists for every disk and partition; a missing one is an error.
void read_holders(BlockNode& node) {
    const std::string path = node.sysfs_path + "/holders";
    const auto holders = names_in(path);
    if (!holders) {
        node.doubts.push_back(holders.error().detail);
    } else if (!*holders) {
        node.doubts.push_back(path + " is missing");
    } else {
        node.upon = **holders;
    }
}

void read_partition(BlockNode& node) {
    const auto number = number_attribute(node.sysfs_path + "/partition");
    if (!number) {
        node.doubts.push_back(number.error().detail);
    } else if (*number) {
        node.partition_number = static_cast<std::uint32_t>(**number);
        node.disk = base_name(parent_path(node.sysfs_path));
    }
}

/// No device can be on a detached loop device, and there are often dozens of them.
bool is_detached_loop(const BlockNode& node) {
    if (!is_numbered(node.name, "loop")) return false;
    const auto size = number_attribute(node.sysfs_path + "/size");
    return size && *size && **size == 0;
}

std::optional<BlockNode> read_node(const std::string& name, const UdevQuery& udev, const LoopMap& loops) {
    BlockNode node;
    node.name = name;
    node.sysfs_path = device_directory(block_class + name);
    // The device was unplugged since the listing.
    if (node.sysfs_path.empty()) return std::nullopt;
    node.disk = node.name;

    const auto number = read_file_if_there(node.sysfs_path + "/dev");
    // A device without a number is being removed, or is hidden below a multipath head: no node can refer to it.
    if (number && !*number) return std::nullopt;
    const auto parsed = number ? device_number(**number) : std::nullopt;
    if (parsed) {
        node.number = *parsed;
    } else {
        node.doubts.push_back(node.sysfs_path + "/dev cannot be read");
    }
    node.title = node.name;
    if (is_detached_loop(node)) return node;
    node.properties = udev(node.sysfs_path);
    read_partition(node);
    read_holders(node);

    // Recognise device-mapper devices by the names that the kernel gives them (drivers/md/dm.c): reading two more files
    // for each device would take noticeable time.
    if (node.name.starts_with("dm-")) {
        const std::string dm_name = text_attribute(node.sysfs_path + "/dm/name");
        if (!dm_name.empty()) node.title += " ('" + dm_name + "')";
        node.multipath = text_attribute(node.sysfs_path + "/dm/uuid").starts_with("mpath-");
    }
    if (const LoopEntry* loop = loops.find(node.number)) node.loop = *loop;
    return node;
}

} // namespace

std::string node_path(const std::string& name) {
    std::string path = "/dev/" + name;
    std::replace(path.begin(), path.end(), '!', '/');
    return path;
}

std::optional<DeviceNumber> number_of_node(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISBLK(status.st_mode)) return std::nullopt;
    return DeviceNumber{major(status.st_rdev), minor(status.st_rdev)};
}

std::string node_of(DeviceNumber number) {
    const std::string link = fmt::format("/sys/dev/block/{}:{}", number.major, number.minor);
    std::error_code none;
    const auto device = std::filesystem::read_symlink(link, none);
    if (none) return {};
    std::string node = node_path(device.filename());
    return number_of_node(node) == number ? node : std::string();
}

Result<BlockGraph> BlockGraph::read(const UdevQuery& udev, const LoopMap& loops) {
    const auto names = block_names();
    if (!names) return fail(names.error());
    BlockGraph graph;
    for (const std::string& name : *names) {
        if (auto node = read_node(name, udev, loops)) graph.nodes_.push_back(std::move(*node));
    }
    graph.connect();
    return graph;
}

void BlockGraph::connect() {
    const auto stands_on = [this](const std::string& below, const std::string& above) {
        for (BlockNode& node : nodes_) {
            if (node.name == below) add_name(node.upon, above);
        }
    };
    for (const BlockNode& node : std::vector<BlockNode>(nodes_)) {
        if (node.partition_number != 0) stands_on(node.disk, node.name);
        if (node.loop && node.loop->device) {
            if (const BlockNode* below = find(*node.loop->device)) stands_on(below->name, node.name);
        }
        // The kernel has no `slaves` for a loop device.
        if (is_numbered(node.name, "loop")) continue;
        // The links in `slaves` give the same relation as `holders`, from the upper device; either link is enough for a
        // refusal.
        if (const auto slaves = names_in(node.sysfs_path + "/slaves"); slaves && *slaves) {
            for (const std::string& slave : **slaves) stands_on(slave, node.name);
        }
    }
}

const BlockNode* BlockGraph::find(const std::string& name) const {
    const auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const BlockNode& n) { return n.name == name; });
    return found == nodes_.end() ? nullptr : &*found;
}

const BlockNode* BlockGraph::find(DeviceNumber number) const {
    const auto found =
        std::find_if(nodes_.begin(), nodes_.end(), [&](const BlockNode& n) { return n.number == number; });
    return found == nodes_.end() ? nullptr : &*found;
}

std::vector<const BlockNode*> BlockGraph::devices_above(const BlockNode& disk) const {
    std::vector<const BlockNode*> stack{&disk};
    for (std::size_t next = 0; next < stack.size(); ++next) {
        for (const std::string& name : stack[next]->upon) {
            const BlockNode* above = find(name);
            // Two partitions may belong to the same volume, and a broken sysfs could contain a cycle.
            if (above != nullptr && std::find(stack.begin(), stack.end(), above) == stack.end()) stack.push_back(above);
        }
    }
    return stack;
}

} // namespace mediarig::media
