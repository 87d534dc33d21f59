// SPDX-License-Identifier: GPL-3.0-or-later
/// What this machine is using: mounts, swap, device stacks, and what carries the running system.
#pragma once

#include <string>
#include <vector>

#include "host/media/linux/block_graph.hpp"
#include "host/media/linux/mount_table.hpp"
#include "host/media/medium.hpp"

namespace mediarig::media {

/// The mounts of one mount namespace.
struct MountTable {
    std::string whose; ///< empty for our own, else " (in the mount namespace of process 1)"
    std::vector<MountEntry> entries;
};

/// The kernel's tables as they are now. What could not be read or understood is in `doubts`.
struct KernelTables {
    std::vector<MountTable> mounts;
    std::vector<SwapEntry> swaps;
    std::vector<std::vector<std::string>> btrfs; ///< names of the devices of each mounted btrfs
    std::vector<std::string> doubts;
};
/// Reads /proc/self/mountinfo, /proc/1/mountinfo where that is allowed, /proc/swaps and /sys/fs/btrfs.
[[nodiscard]] KernelTables read_kernel_tables();

class Usage {
public:
    /// Both arguments must outlive this object.
    Usage(const BlockGraph& graph, const KernelTables& tables);

    /// system_disk, mounted, swap, held and unknown_state of a whole device with everything that stands on it.
    [[nodiscard]] std::vector<Refusal> refusals_of(const BlockNode& disk) const;
    /// Where this very device is mounted; each mount point once.
    [[nodiscard]] std::vector<std::string> mount_points_of(const BlockNode& node) const;

private:
    struct Fact {
        DeviceNumber number;
        std::string text;
        bool operator==(const Fact&) const = default;
    };
    void note_mounts();
    void note_swaps();
    void note_system_mounts();
    void trace(const MountTable& table, const MountEntry& entry, const std::string& reason,
               std::vector<const MountEntry*>& seen);
    void trace_path(const MountTable& table, const std::string& path, const std::string& reason,
                    std::vector<const MountEntry*>& seen);
    [[nodiscard]] std::vector<DeviceNumber> devices_of(const MountEntry& entry) const;
    [[nodiscard]] std::vector<DeviceNumber> btrfs_devices(const std::vector<DeviceNumber>& known) const;

    const BlockGraph& graph_;
    const KernelTables& tables_;
    std::vector<Fact> mounted_, swapped_, system_;
    std::vector<std::string> system_pools_;
    std::vector<std::string> doubts_;
};

/// "partition sda2", "sda", "dm-0 ('cryptroot')".
[[nodiscard]] std::string description_of(const BlockNode& node);

} // namespace mediarig::media
