// SPDX-License-Identifier: GPL-3.0-or-later
/// Uses of devices by this machine: mounts, swap, device stacks, and the devices of the running system.
#pragma once

#include <sys/stat.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/media/claim/discovery.hpp"
#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/claim/linux/kernel/bounded_calls.hpp"
#include "host/media/claim/linux/kernel/loop_map.hpp"
#include "host/media/claim/linux/kernel/mount_table.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Mounts of one mount namespace.
struct MountTable {
    std::string whose; ///< empty for the own namespace, else " (in the mount namespace of process 1)"
    bool of_system{};  ///< the namespace of this process or of process 1: its "/" is that of the system, unlike in a
                       ///< container
    std::vector<MountEntry> entries;
};

/// Current tables of the kernel. `doubts` lists data that could not be read or parsed.
struct KernelTables {
    std::vector<MountTable> mounts;
    std::vector<SwapEntry> swaps;
    std::vector<std::vector<std::string>> btrfs; ///< device names of each mounted btrfs
    std::vector<std::string> doubts;
};
/// Returns one process for each mount namespace other than ours and that of process 1: containers, services with
/// private mounts, sandboxes. A namespace without processes, or only with processes that this user may not inspect, is
/// not visible; the exclusive open of a device and the lease on a file detect its mounts.
[[nodiscard]] std::vector<std::string> processes_in_other_namespaces();
/// Reads the mounts of this namespace, of process 1 and of `processes`, and /proc/swaps and /sys/fs/btrfs.
[[nodiscard]] KernelTables read_kernel_tables(const std::vector<std::string>& processes);

class Usage {
public:
    /// All arguments must outlive this object.
    Usage(const BlockGraph& graph, const KernelTables& tables, const LoopMap& loops);

    /// Refusals system_disk, mounted, swap, held and unknown_state of a whole device, caused by the devices on it and
    /// on other loop devices that show some of the same bytes. A loop device in `own` causes no refusal; a mount, swap
    /// or device on that loop device does.
    [[nodiscard]] std::vector<Refusal> refusals_of(const BlockNode& disk, const OwnDevices& own) const;
    /// Like refusals_of() of a device, but for a file, which messages call `name`.
    [[nodiscard]] std::vector<Refusal> refusals_of(FileIdentity file, const std::string& name,
                                                   const OwnDevices& own) const;
    /// Mount points of this device itself, each once.
    [[nodiscard]] std::vector<std::string> mount_points_of(const BlockNode& node) const;

private:
    struct Fact {
        DeviceNumber number;
        std::string text;
        bool operator==(const Fact&) const = default;
    };
    /// A file that the kernel uses without a loop device: swap, or a file system mounted directly from it.
    struct FileUse {
        FileIdentity file;
        Refusal refusal; ///< the detail without its subject: "is in use as swap"
        bool operator==(const FileUse&) const = default;
    };
    class Reasons;
    void note_mounts();
    void note_swaps();
    void note_system_mounts();
    void trace(const MountTable& table, const MountEntry& entry, const std::string& reason,
               std::vector<const MountEntry*>& seen);
    void trace_path(const MountTable& table, const std::string& path, const std::string& reason,
                    std::vector<const MountEntry*>& seen);
    void collect_uses_of_file(Reasons& reasons, FileIdentity file, const std::string& name) const;
    void collect_uses_of_node(Reasons& reasons, const BlockNode& node, const std::string& what) const;
    void collect_other_loops(Reasons& reasons, const ByteRange& range, const std::string& name,
                             const BlockNode* disk) const;
    [[nodiscard]] BackingStorage below_of(const ByteRange& range) const;
    [[nodiscard]] std::optional<struct stat> status_of(const std::string& path) const;
    [[nodiscard]] std::optional<FileIdentity> file_at(const std::string& path) const;
    [[nodiscard]] std::vector<DeviceNumber> devices_of(const MountEntry& entry) const;
    [[nodiscard]] std::vector<DeviceNumber> btrfs_devices(const std::vector<DeviceNumber>& known) const;

    const BlockGraph& graph_;
    const KernelTables& tables_;
    const LoopMap& loops_;
    std::unique_ptr<BoundedCalls> calls_; ///< for names on file systems with a server process (FUSE, network)
    std::vector<Fact> mounted_, swapped_, system_;
    std::vector<FileUse> used_files_;
    std::vector<std::string> system_pools_;
    std::vector<std::string> doubts_;
    std::vector<std::string> hidden_swaps_; ///< paths in /proc/swaps without a device in this mount namespace
};

/// "partition sda2", "sda", "dm-0 ('cryptroot')".
[[nodiscard]] std::string description_of(const BlockNode& node);

} // namespace mediarig::media
