// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the few operations on a device node that a claim needs. Adapters: linux/; in tests a farm of fake disks that
/// counts every byte written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/media/medium.hpp"
#include "host/media/signature.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// What the kernel says of the device behind an open descriptor: asked of the descriptor, never of a path.
struct NodeFacts {
    DeviceNumber number;
    std::uint64_t disk_sequence{}; ///< 0 where the kernel has none (before 5.15)
    Bytes size;
    bool read_only{};
    bool operator==(const NodeFacts&) const = default;
};

/// An open device. Closes it when destroyed.
class OpenNode {
public:
    virtual ~OpenNode() = default;
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Fails with no_medium (the device went away, or this is no block device).
    [[nodiscard]] virtual Result<NodeFacts> facts() = 0;
    /// A momentary exclusive open of this very device. Fails with refused where somebody holds it: a mount in any name
    /// space, swap, dm, MD, ZFS, or a program with O_EXCL.
    [[nodiscard]] virtual Result<void> prove_unheld() = 0;
    /// Every signature on the device and in each of its partitions. Reads only. Fails with io_failed.
    [[nodiscard]] virtual Result<std::vector<Signature>> signatures() = 0;
};

class Nodes {
public:
    virtual ~Nodes() = default;
    /// For reading and writing, close-on-exec, not exclusive. Writes nothing.
    /// Fails with no_permission, no_medium (absent, or an empty slot), refused (read-only), io_failed.
    [[nodiscard]] virtual Result<std::unique_ptr<OpenNode>> open(const std::string& node) = 0;
};

} // namespace mediarig::media
