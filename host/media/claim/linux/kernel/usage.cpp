// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/usage.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

template <class T>
void add_once(std::vector<T>& list, T value) {
    if (!contains(list, value)) list.push_back(std::move(value));
}

/// Directories of the file-system hierarchy and of boot loaders, including those of the Raspberry Pi.
bool is_system_place(std::string_view mount_point) {
    constexpr std::array<std::string_view, 9> places{"/",    "/boot", "/boot/efi", "/boot/firmware", "/efi", "/usr",
                                                     "/var", "/home", "/nix"};
    return std::find(places.begin(), places.end(), mount_point) != places.end();
}

/// "/mnt", "/mnt and 3 more": one line for any number of bind mounts.
std::string first_and_count(const std::vector<std::string>& places) {
    if (places.size() == 1) return places.front();
    return fmt::format("{} and {} more", places.front(), places.size() - 1);
}

} // namespace

/// The refusals found so far, without duplicates.
class Usage::Reasons {
public:
    explicit Reasons(const OwnDevices& own) : own_(own) {}
    void add(RefusalKind kind, std::string detail) { add_once(found_, Refusal{kind, std::move(detail)}); }
    [[nodiscard]] bool is_own(DeviceNumber number) const { return contains(own_, number); }
    [[nodiscard]] std::size_t count() const { return found_.size(); }
    [[nodiscard]] std::vector<Refusal> take() { return std::move(found_); }

private:
    const OwnDevices& own_;
    std::vector<Refusal> found_;
};

std::string description_of(const BlockNode& node) {
    return node.partition_number == 0 ? node.title : "partition " + node.name;
}

Usage::Usage(const BlockGraph& graph, const KernelTables& tables, const LoopMap& loops)
    : graph_(graph), tables_(tables), loops_(loops), calls_(std::make_unique<BoundedCalls>()), doubts_(tables.doubts) {
    note_mounts();
    note_swaps();
    note_system_mounts();
}

std::vector<DeviceNumber> Usage::btrfs_devices(const std::vector<DeviceNumber>& known) const {
    std::vector<DeviceNumber> all = known;
    for (const auto& volume : tables_.btrfs) {
        std::vector<DeviceNumber> numbers;
        for (const std::string& name : volume) {
            if (const BlockNode* node = graph_.find(name)) numbers.push_back(node->number);
        }
        const bool ours = std::any_of(numbers.begin(), numbers.end(), [&](auto n) { return contains(known, n); });
        // A mount whose source names no device ("/dev/root") may be any of the mounted volumes.
        if (!ours && !known.empty()) continue;
        for (const DeviceNumber number : numbers) add_once(all, number);
    }
    return all;
}

/// File systems that every user may mount in a user namespace without a device (FS_USERNS_MOUNT of the kernel): their
/// source name is arbitrary user input.
bool has_source_in_file_system(const MountEntry& entry) {
    constexpr std::array without{"tmpfs",  "ramfs",  "overlay", "proc", "sysfs",      "devpts",
                                 "mqueue", "cgroup", "cgroup2", "bpf",  "binfmt_misc"};
    return entry.source.starts_with('/') && std::ranges::find(without, entry.file_system) == without.end();
}

/// Attributes of a path in this mount namespace. Uses a call with a time limit if the server of the file system may not
/// respond.
std::optional<struct stat> Usage::status_of(const std::string& path) const {
    struct stat status {};
    const bool served = !tables_.mounts.empty() && crosses_served_mount(tables_.mounts.front().entries, path);
    const bool found = served ? calls_->stat(path, status) == 0 : ::stat(path.c_str(), &status) == 0;
    return found ? std::optional(status) : std::nullopt;
}

std::optional<FileIdentity> Usage::file_at(const std::string& path) const {
    const auto status = status_of(path);
    if (!status || !S_ISREG(status->st_mode)) return std::nullopt;
    return FileIdentity{status->st_dev, status->st_ino};
}

std::vector<DeviceNumber> Usage::devices_of(const MountEntry& entry) const {
    std::vector<DeviceNumber> numbers;
    if (entry.number.major != 0) {
        numbers.push_back(entry.number);
    } else if (has_source_in_file_system(entry)) {
        const auto status = status_of(entry.source);
        if (status && S_ISBLK(status->st_mode)) numbers.push_back({major(status->st_rdev), minor(status->st_rdev)});
    }
    return entry.file_system == "btrfs" ? btrfs_devices(numbers) : numbers;
}

void Usage::note_mounts() {
    for (const MountTable& table : tables_.mounts) {
        for (const MountEntry& entry : table.entries) {
            for (const DeviceNumber number : devices_of(entry)) {
                const std::string place = typeable(entry.mount_point);
                // Process 1 usually shares this namespace: add only mounts that are not already known.
                if (!contains(mounted_, {number, place})) add_once(mounted_, {number, place + table.whose});
            }
            // Some file systems (erofs) can be mounted directly from a file, without a loop device; then the source is
            // a path.
            if (entry.number.major != 0 || !has_source_in_file_system(entry)) continue;
            if (const auto file = file_at(entry.source))
                add_once(used_files_,
                         {*file, {RefusalKind::mounted, "is mounted on " + typeable(entry.mount_point) + table.whose}});
        }
    }
}

void Usage::note_swaps() {
    for (const SwapEntry& swap : tables_.swaps) {
        if (swap.is_file) {
            // Compare by identity: hard links and bind mounts are the same file under other paths.
            if (const auto file = file_at(swap.path))
                add_once(used_files_, {*file, {RefusalKind::swap, "is in use as swap"}});
            std::vector<const MountEntry*> seen;
            for (const MountTable& table : tables_.mounts) {
                if (table.of_system) trace_path(table, swap.path, "the swap file " + typeable(swap.path), seen);
            }
            continue;
        }
        const BlockNode* node = nullptr;
        if (const auto number = number_of_node(swap.path)) node = graph_.find(*number);
        if (node == nullptr) node = graph_.find(base_name(swap.path));
        if (node == nullptr) {
            hidden_swaps_.push_back(typeable(swap.path));
            continue;
        }
        swapped_.push_back({node->number, ""});
        add_once(system_, {node->number, "swap"});
    }
}

void Usage::note_system_mounts() {
    for (const MountTable& table : tables_.mounts) {
        if (!table.of_system) continue;
        for (const MountEntry& entry : table.entries) {
            if (!is_system_place(entry.mount_point)) continue;
            std::vector<const MountEntry*> seen;
            trace(table, entry, entry.mount_point, seen);
        }
    }
}

void Usage::trace(const MountTable& table, const MountEntry& entry, const std::string& reason,
                  std::vector<const MountEntry*>& seen) {
    if (contains(seen, &entry)) return;
    seen.push_back(&entry);

    if (entry.file_system == "zfs") add_once(system_pools_, entry.source.substr(0, entry.source.find('/')));
    // The root of a live system is an overlay on an image on a stick: trace each layer to its device.
    if (entry.file_system == "overlay") {
        for (const std::string& layer : overlay_layers(entry.super_options)) trace_path(table, layer, reason, seen);
    }
    for (const DeviceNumber number : devices_of(entry)) {
        const BlockNode* node = graph_.find(number);
        if (node == nullptr) {
            doubts_.push_back(fmt::format("device {}:{}, which carries {}, is not in sysfs", number.major, number.minor,
                                          typeable(reason)));
            continue;
        }
        add_once(system_, {number, typeable(reason)});
        if (node->loop) trace_path(table, node->loop->backing_file, reason, seen);
    }
}

void Usage::trace_path(const MountTable& table, const std::string& path, const std::string& reason,
                       std::vector<const MountEntry*>& seen) {
    if (const MountEntry* below = mount_of(table.entries, path)) trace(table, *below, reason, seen);
}

std::vector<std::string> Usage::mount_points_of(const BlockNode& node) const {
    std::vector<std::string> places;
    for (const Fact& mount : mounted_) {
        if (mount.number == node.number) add_once(places, mount.text);
    }
    return places;
}

void Usage::collect_uses_of_file(Reasons& reasons, FileIdentity file, const std::string& name) const {
    for (const FileUse& use : used_files_) {
        if (use.file == file) reasons.add(use.refusal.kind, name + " " + use.refusal.detail);
    }
}

void Usage::collect_uses_of_node(Reasons& reasons, const BlockNode& node, const std::string& what) const {
    for (const Fact& fact : system_) {
        if (fact.number == node.number) reasons.add(RefusalKind::system_disk, what + " carries " + fact.text);
    }
    const auto zfs = node.properties.find("ID_FS_TYPE");
    const auto pool = node.properties.find("ID_FS_LABEL");
    if (zfs != node.properties.end() && zfs->second == "zfs_member" && pool != node.properties.end() &&
        contains(system_pools_, pool->second))
        reasons.add(RefusalKind::system_disk,
                    what + " is part of the pool " + pool->second + ", which carries the system");
    if (const auto places = mount_points_of(node); !places.empty())
        reasons.add(RefusalKind::mounted, what + " is mounted on " + first_and_count(places));
    if (std::any_of(swapped_.begin(), swapped_.end(), [&](const Fact& f) { return f.number == node.number; }))
        reasons.add(RefusalKind::swap, what + " is in use as swap");
    if (node.loop && node.loop->file) collect_uses_of_file(reasons, *node.loop->file, "the backing file of " + what);
    // Swap holds its device exclusively, so a claim detects swap also without udev.
    const auto type = node.properties.find("ID_FS_TYPE");
    if (!hidden_swaps_.empty() && type != node.properties.end() && type->second == "swap")
        reasons.add(RefusalKind::unknown_state,
                    fmt::format("{} may be the swap area {}, which has no visible name: run swapoff, then try again",
                                what, hidden_swaps_.front()));
    for (const std::string& name : node.upon) {
        const BlockNode* above = graph_.find(name);
        if (above != nullptr && above->partition_number != 0 && above->disk == node.name) continue;
        if (above != nullptr && reasons.is_own(above->number)) continue;
        const bool path = above != nullptr && above->multipath;
        reasons.add(RefusalKind::held,
                    fmt::format("{} is {} {}", what, path ? "a path of the multipath device" : "in use by",
                                above ? above->title : name));
    }
    // multipathd takes a device with this property when its second path appears, even if no map uses it now.
    if (const auto claimed = node.properties.find("DM_MULTIPATH_DEVICE_PATH");
        claimed != node.properties.end() && claimed->second == "1")
        reasons.add(RefusalKind::held, what + " is a path of a multipath device, as multipathd reported to udev");
    for (const auto& volume : tables_.btrfs) {
        if (contains(volume, node.name)) reasons.add(RefusalKind::held, what + " is in use by a mounted btrfs");
    }
    for (const std::string& doubt : node.doubts) reasons.add(RefusalKind::unknown_state, doubt);
}

void Usage::collect_other_loops(Reasons& reasons, const ByteRange& range, const std::string& name,
                                const BlockNode* disk) const {
    const auto stack = disk == nullptr ? std::vector<const BlockNode*>() : graph_.devices_above(*disk);
    for (const LoopEntry* loop : loops_.showing(range)) {
        const BlockNode* other = graph_.find(loop->number);
        if (other != nullptr && contains(stack, other)) continue;
        const std::size_t before = reasons.count();
        const std::string same = fmt::format(", over the same bytes as {},", name);
        if (other != nullptr) {
            for (const BlockNode* node : graph_.devices_above(*other))
                collect_uses_of_node(reasons, *node, description_of(*node) + same);
        }
        if (reasons.count() != before || reasons.is_own(loop->number)) continue;
        reasons.add(RefusalKind::held, disk == nullptr ? fmt::format("{} is attached to /dev/{}", name, loop->name)
                                                       : fmt::format("{} shows the same bytes of {}", loop->name,
                                                                     typeable(loop->backing_file)));
    }
}

/// A file whose file system is in no mount table counts as local: a btrfs subvolume has its own device number.
BackingStorage Usage::below_of(const ByteRange& range) const {
    if (!range.file) return BackingStorage::local;
    const DeviceNumber device{major(range.file->device), minor(range.file->device)};
    for (const MountTable& table : tables_.mounts) {
        for (const MountEntry& entry : table.entries)
            if (entry.number == device && is_served(entry.file_system)) return BackingStorage::served;
    }
    return BackingStorage::local;
}

std::vector<Refusal> Usage::refusals_of(const BlockNode& disk, const OwnDevices& own) const {
    Reasons reasons(own);
    for (const BlockNode* node : graph_.devices_above(disk))
        collect_uses_of_node(reasons, *node, description_of(*node));
    const auto range = loops_.range_of(disk.number);
    if (range) collect_other_loops(reasons, *range, disk.name, &disk);
    for (const std::string& doubt : doubts_) reasons.add(RefusalKind::unknown_state, doubt);
    if (const LoopEntry* loop = loops_.find(disk.number))
        if (const std::string doubt = loops_.content_doubt(*loop); !doubt.empty())
            reasons.add(RefusalKind::unknown_state, doubt);
    const BackingStorage below = range ? below_of(*range) : BackingStorage::served;
    for (const std::string& doubt : loops_.doubts(range, below)) reasons.add(RefusalKind::unknown_state, doubt);
    return reasons.take();
}

std::vector<Refusal> Usage::refusals_of(FileIdentity file, const std::string& name, const OwnDevices& own) const {
    Reasons reasons(own);
    collect_uses_of_file(reasons, file, name);
    collect_other_loops(reasons, whole_file(file), name, nullptr);
    const ByteRange range = whole_file(file);
    for (const auto& doubts : {tables_.doubts, loops_.doubts(range, below_of(range))}) {
        for (const std::string& doubt : doubts) reasons.add(RefusalKind::unknown_state, doubt);
    }
    return reasons.take();
}

} // namespace mediarig::media
