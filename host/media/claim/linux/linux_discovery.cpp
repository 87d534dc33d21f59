// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/linux_discovery.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "host/base/text.hpp"
#include "host/media/claim/image/image_file.hpp"
#include "host/media/claim/linux/ancestry.hpp"
#include "host/media/claim/linux/emulated_identity.hpp"
#include "host/media/claim/linux/identity.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

std::string property(const BlockNode& node, const char* name) {
    const auto found = node.properties.find(name);
    return found == node.properties.end() ? std::string() : found->second;
}

/// udev sets this property after it has processed a device; without this property, missing other properties mean
/// nothing.
bool udev_knows(const BlockNode& node) {
    return !property(node, "USEC_INITIALIZED").empty();
}

Partition partition_of(const BlockNode& node, const Usage& usage) {
    constexpr std::uint64_t unit = 512;
    const auto number = [&](const char* name) {
        const auto value = number_attribute(node.sysfs_path + "/" + name);
        return Bytes{value && *value ? **value * unit : 0};
    };
    return {.node = node_path(node.name),
            .number = node.partition_number,
            .start = number("start"),
            .size = number("size"),
            .file_system = property(node, "ID_FS_TYPE"),
            .label = property(node, "ID_FS_LABEL"),
            .mounted_on = usage.mount_points_of(node)};
}

void refuse(Medium& medium, RefusalKind kind, std::string detail) {
    medium.refusals.push_back({kind, std::move(detail)});
}

void refuse_by_properties(Medium& medium, const BlockNode& node) {
    Signature signature;
    signature.type = property(node, "ID_FS_TYPE");
    signature.usage = property(node, "ID_FS_USAGE");
    signature.label = property(node, "ID_FS_LABEL");
    if (auto refusal = refusal_for(signature, description_of(node))) medium.refusals.push_back(std::move(*refusal));
}

void refuse_by_size(Medium& medium, const BlockNode& disk) {
    const bool size_known = std::none_of(medium.refusals.begin(), medium.refusals.end(), [](const Refusal& refusal) {
        return refusal.kind == RefusalKind::unknown_state;
    });
    if (medium.size == 0_B && size_known) {
        const char* why = medium.transport == Transport::loop   ? "has no image attached"
                          : medium.transport == Transport::zram ? "has no size set"
                                                                : "holds no medium: its slot is empty";
        refuse(medium, RefusalKind::no_medium, disk.name + " " + why);
    } else if (medium.size < 1_MiB && size_known) {
        refuse(medium, RefusalKind::too_small,
               fmt::format("{} has {}, less than 1 MiB", disk.name, size_text(medium.size)));
    }
}

/// Description of one whole device, except refusals that depend on other devices.
class Description {
public:
    Description(const BlockGraph& graph, const Usage& usage, const OwnDevices& own, const std::string& identities)
        : graph_(graph), usage_(usage), own_(own), identities_(identities) {}

    [[nodiscard]] Medium of(const BlockNode& disk) const {
        const auto ancestors = ancestors_of(disk.sysfs_path);
        Medium medium = identity_of(disk, ancestors);
        const bool emulated = adopt_emulated(medium, disk, identities_);
        medium.file_system = property(disk, "ID_FS_TYPE");
        refuse_by_size(medium, disk);
        if (medium.read_only) refuse(medium, RefusalKind::read_only, disk.name + " is write-protected");
        if (auto refusal = built_in(disk, medium.transport, ancestors, medium.removable); refusal && !emulated)
            medium.refusals.push_back(std::move(*refusal));
        for (Refusal& refusal : usage_.refusals_of(disk, own_)) medium.refusals.push_back(std::move(refusal));
        refuse_by_properties(medium, disk);
        for (const BlockNode& node : graph_.nodes()) {
            if (node.partition_number == 0 || node.disk != disk.name) continue;
            medium.partitions.push_back(partition_of(node, usage_));
            refuse_by_properties(medium, node);
        }
        std::sort(medium.partitions.begin(), medium.partitions.end(),
                  [](const Partition& a, const Partition& b) { return a.number < b.number; });
        refuse_btrfs_volume(medium, disk);
        return medium;
    }

private:
    /// Two devices with the same btrfs UUID belong to one file system.
    void refuse_btrfs_volume(Medium& medium, const BlockNode& disk) const {
        for (const BlockNode* own : graph_.devices_above(disk)) {
            const std::string uuid = property(*own, "ID_FS_UUID");
            if (property(*own, "ID_FS_TYPE") != "btrfs" || uuid.empty()) continue;
            for (const BlockNode& other : graph_.nodes()) {
                const bool twin = &other != own && property(other, "ID_FS_UUID") == uuid &&
                                  property(other, "ID_FS_TYPE") == "btrfs" && other.number != own->number;
                if (!twin) continue;
                refuse(medium, RefusalKind::raid_member,
                       fmt::format("{} and {} belong to one btrfs file system", description_of(*own), other.name));
                return;
            }
        }
    }

    const BlockGraph& graph_;
    const Usage& usage_;
    const OwnDevices& own_;
    const std::string& identities_;
};

/// Reads the signatures that udev does not provide. Only for devices that could be tested: disks of this machine are
/// not read.
void add_signatures(Medium& medium, const BlockNode& disk, const SignatureReader& look) {
    if (!medium.refusals.empty() || udev_knows(disk)) return;
    const auto found = look(medium.node);
    if (!found && found.error().code == Errc::timed_out)
        refuse(medium, RefusalKind::unknown_state, found.error().detail);
    // If the device cannot be read here, the claim reads the signatures through the descriptor used for writing.
    if (!found) return;
    for (const Signature& signature : *found) {
        std::string carrier = medium.node;
        if (signature.offset == 0_B && medium.file_system.empty()) medium.file_system = signature.type;
        for (Partition& partition : medium.partitions) {
            if (partition.start != signature.offset) continue;
            partition.file_system = signature.type;
            partition.label = signature.label;
            carrier = partition.node;
        }
        if (auto refusal = refusal_for(signature, carrier)) medium.refusals.push_back(std::move(*refusal));
    }
}

/// Skips empty slots, which have no medium: a reader with one card in four slots counts as one device.
void refuse_same_serials(std::vector<Medium>& media) {
    for (Medium& medium : media) {
        if (medium.serial.empty() || medium.size == 0_B) continue;
        for (const Medium& other : media) {
            if (&other == &medium || other.size == 0_B || other.serial != medium.serial) continue;
            const std::string port = port_confirmation_of(medium);
            refuse(medium, RefusalKind::ambiguous,
                   fmt::format("{} has the same serial '{}'{}", other.node, other.serial,
                               port.empty() ? "" : ": confirm with '" + port + "' instead"));
            break;
        }
    }
}

struct Snapshot {
    BlockGraph graph;
    std::vector<Medium> media;
};

/// Loop and zram devices have no serial to compare.
bool may_have_serial(const BlockNode& disk) {
    return !is_numbered(disk.name, "loop") && !is_numbered(disk.name, "zram");
}

/// Lists all devices; or only the device `only` (or its disk) and devices that might have the same serial.
Result<Snapshot> take_snapshot(const UdevQuery& udev, const KernelQuestions& ask, const OwnDevices& own,
                               std::optional<DeviceNumber> only) {
    const auto loops = LoopMap::read(ask.loop);
    if (!loops) return fail(loops.error());
    auto graph = BlockGraph::read(udev, *loops);
    if (!graph) return fail(graph.error());
    Snapshot snapshot{.graph = std::move(*graph), .media = {}};
    const KernelTables tables = read_kernel_tables(ask.other_namespaces());
    const Usage usage(snapshot.graph, tables, *loops);
    const Description description(snapshot.graph, usage, own, ask.identities);
    const BlockNode* const named = only ? snapshot.graph.find(*only) : nullptr;
    for (const BlockNode& node : snapshot.graph.nodes()) {
        if (node.partition_number != 0) continue;
        if (only && !may_have_serial(node) && (named == nullptr || named->disk != node.name)) continue;
        snapshot.media.push_back(description.of(node));
    }
    refuse_same_serials(snapshot.media);
    return snapshot;
}

/// A partition with the identity of its disk, so that the refusal can name the disk.
Medium as_partition(const Medium& disk, const BlockNode& partition) {
    Medium medium = disk;
    medium.node = node_path(partition.name);
    medium.number = partition.number;
    medium.sysfs_path = partition.sysfs_path;
    const auto listed = std::find_if(disk.partitions.begin(), disk.partitions.end(),
                                     [&](const Partition& p) { return p.number == partition.partition_number; });
    if (listed != disk.partitions.end()) {
        medium.size = listed->size;
        medium.file_system = listed->file_system;
    }
    medium.partitions.clear();
    medium.refusals.insert(medium.refusals.begin(),
                           {RefusalKind::partition, fmt::format("{} is a partition of {}: name the whole device {}",
                                                                partition.name, partition.disk, disk.node)});
    return medium;
}

Error cannot_look(const std::string& target, int error) {
    const std::string detail = fmt::format("{} cannot be used: {}", typeable(target), std::strerror(error));
    return {error == EACCES ? Errc::no_permission : Errc::bad_request, detail};
}

} // namespace

LinuxDiscovery::LinuxDiscovery(UdevQuery udev, SignatureReader look, KernelQuestions ask)
    : udev_(std::move(udev)), look_(std::move(look)), ask_(std::move(ask)) {}

Result<std::vector<Medium>> LinuxDiscovery::list() {
    auto snapshot = take_snapshot(udev_, ask_, {}, std::nullopt);
    if (!snapshot) return fail(snapshot.error());
    for (Medium& medium : snapshot->media) {
        if (const BlockNode* disk = snapshot->graph.find(medium.number)) add_signatures(medium, *disk, look_);
    }
    return std::move(snapshot->media);
}

Result<Medium> LinuxDiscovery::identify(const std::string& target, const OwnDevices& own) {
    struct stat status {};
    if (target.empty()) return fail(Errc::bad_request, "no device or image file is named");
    if (::stat(target.c_str(), &status) != 0) return fail(cannot_look(target, errno));
    if (S_ISREG(status.st_mode)) return describe_image(target, own);
    if (S_ISDIR(status.st_mode))
        return fail(Errc::bad_request, typeable(target) + " is a directory: name a block device or an image file");
    if (!S_ISBLK(status.st_mode))
        return fail(Errc::bad_request, typeable(target) + " is neither a block device nor an image file");

    // Resolve links, as a later open does.
    const auto number = number_of_node(real_path(target));
    if (!number) return fail(Errc::no_medium, typeable(target) + " went away while it was being identified");
    auto snapshot = take_snapshot(udev_, ask_, own, number);
    if (!snapshot) return fail(snapshot.error());
    const Error unknown{Errc::no_medium,
                        fmt::format("{} is device {}:{}, which the kernel does not have: was it unplugged?",
                                    typeable(target), number->major, number->minor)};
    const BlockNode* node = snapshot->graph.find(*number);
    if (node == nullptr) return fail(unknown);
    const auto disk = std::find_if(snapshot->media.begin(), snapshot->media.end(),
                                   [&](const Medium& medium) { return medium.node == node_path(node->disk); });
    if (disk == snapshot->media.end()) return fail(unknown);
    // Probe only this device: others may be under test, and reads would disturb the test.
    if (node->partition_number == 0) add_signatures(*disk, *node, look_);
    if (node->partition_number != 0) return as_partition(*disk, *node);
    return std::move(*disk);
}

} // namespace mediarig::media
