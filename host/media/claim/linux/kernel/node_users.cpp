// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/node_users.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <optional>
#include <thread>

#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/claim/linux/kernel/loop_map.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/claim/linux/kernel/udev_properties.hpp"

namespace mediarig::media {
namespace {

std::string name_of_node(DeviceNumber number) {
    const std::string node = node_of(number);
    return node.empty() ? fmt::format("device {}:{}", number.major, number.minor) : node;
}

/// The element of `nodes` that a link of /proc refers to; null if there is no such element.
std::optional<DeviceNumber> node_behind(const std::string& link, const std::vector<DeviceNumber>& nodes) {
    const auto status = target_status(link);
    if (!status || !S_ISBLK(status->st_mode)) return std::nullopt;
    const DeviceNumber number{major(status->st_rdev), minor(status->st_rdev)};
    return std::ranges::find(nodes, number) == nodes.end() ? std::nullopt : std::optional(number);
}

/// Returns "open for writing" or "locked", the uses that conflict with a claim; null for any other use.
const char* use_of(const std::string& process, const std::string& descriptor) {
    const auto flags = flags_of(process, descriptor);
    if (!flags || (*flags & O_PATH) != 0) return nullptr;
    if ((*flags & O_ACCMODE) != O_RDONLY) return "open for writing";
    const auto info = read_file_if_there(process + "/fdinfo/" + descriptor);
    return info && *info && (*info)->find("\nlock:") != std::string::npos ? "locked" : nullptr;
}

struct NodeUse {
    DeviceNumber node;
    const char* how;
};

std::optional<NodeUse> use_in(const std::string& process, const std::vector<DeviceNumber>& nodes,
                              ProcessSearch& search) {
    std::optional<NodeUse> use;
    const bool open = any_descriptor_of(process, search, [&](const std::string& descriptor, const std::string& link) {
        const auto node = node_behind(link, nodes);
        const char* const how = node ? use_of(process, descriptor) : nullptr;
        if (how != nullptr) use = NodeUse{*node, how};
        return how != nullptr;
    });
    if (open) return use;
    const bool mapped = any_line_of(process + "/maps", search, [&](std::string_view line) {
        const auto mapping = shared_mapping(process, line);
        errno = 0;
        const auto node = mapping ? node_behind(mapping->link, nodes) : std::nullopt;
        if (errno == EPERM || errno == EACCES) search.record_unreadable(mapping->link, errno);
        const bool writes = node && may_become_writable(process, *mapping, search);
        if (writes) use = NodeUse{*node, "mapped for writing"};
        return writes;
    });
    return mapped ? use : std::nullopt;
}

} // namespace

Result<NodesOverBytes> nodes_over_bytes_of(DeviceNumber device) {
    const auto loops = LoopMap::read();
    if (!loops) return fail(loops.error());
    const auto graph = BlockGraph::read(without_udev(), *loops);
    if (!graph) return fail(graph.error());
    const auto range = loops->range_of(device);
    NodesOverBytes found{.numbers = {device}, .of_file = range && range->file};
    std::vector<DeviceNumber>& numbers = found.numbers;
    const auto add = [&](const BlockNode& node) {
        if (std::ranges::find(numbers, node.number) == numbers.end()) numbers.push_back(node.number);
    };
    for (const BlockNode& node : graph->nodes()) {
        const bool itself = node.number == device;
        const auto shown = range && !itself ? loops->range_of(node.number) : std::nullopt;
        if (!itself && !(shown && overlaps(*shown, *range))) continue;
        for (const BlockNode* above : graph->devices_above(node)) {
            // If this device is a loop device on one partition of a disk, skip the other partitions of that disk, which
            // do not contain its bytes.
            const auto part = range ? loops->range_of(above->number) : std::nullopt;
            const bool apart =
                part && part->file == range->file && part->disk == range->disk && !overlaps(*part, *range);
            if (!apart) add(*above);
        }
    }
    return found;
}

std::string writers_of(const std::vector<DeviceNumber>& nodes, pid_t except, ProcessSearch& search) {
    std::map<std::string, NodeUse> uses;
    const auto writes = [&](const std::string& process) {
        const auto use = use_in(process, nodes, search);
        if (use) uses.emplace(process, *use);
        return use.has_value();
    };
    if (processes_that(writes, except, search).empty()) return {};
    constexpr std::size_t most = 3;
    std::string line;
    std::size_t count = 0;
    for (const auto& [process, use] : uses) {
        if (++count > most) return line + ", and others";
        const std::string number = process.substr(6, process.find('/', 6) - 6);
        line += fmt::format("{}{} is {} in process {} ({})", line.empty() ? "" : ", ", name_of_node(use.node), use.how,
                            number, text_attribute("/proc/" + number + "/comm"));
    }
    return line;
}

Result<void> check_no_writer(DeviceNumber device, Use use) {
    const auto nodes = nodes_over_bytes_of(device);
    if (!nodes) return fail(nodes.error());
    constexpr std::chrono::milliseconds patience{500}, pause{10};
    // In a virtual machine, the processor time includes that of other programs of its host.
    constexpr std::chrono::seconds most{30};
    const auto until = std::chrono::steady_clock::now() + patience;
    while (true) {
        ProcessSearch search(most);
        const std::string writers = writers_of(nodes->numbers, ::getpid(), search);
        if (writers.empty()) {
            std::string missed = search.missed();
            if (missed.empty() && !shows_all_processes())
                missed = "the machine's processes cannot be seen from this container";
            // ImageLock has already checked the uses of a file below the loop devices.
            if (missed.empty() || nodes->of_file || use == Use::may_be_unknown) return {};
            return fail(Errc::refused,
                        fmt::format("a program may write to it: {}; {}", missed, how_to_permit_unknown_use));
        }
        if (std::chrono::steady_clock::now() >= until)
            return fail(Errc::refused, writers + ": end that program, then try again");
        std::this_thread::sleep_for(pause);
    }
}

} // namespace mediarig::media
