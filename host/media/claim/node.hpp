// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the few operations on a device node that a claim needs. Adapters: linux/; in tests a farm of fake disks that
/// counts every byte written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/claim/signature.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// What a loop device shows, as the kernel holds it (LOOP_GET_STATUS64). Whoever may open the device can change it,
/// also while it is mounted or held exclusively, and its disk sequence stays.
struct LoopWindowFacts {
    std::uint64_t backing_device{}; ///< st_dev of the file, or the number of the block device below
    std::uint64_t backing_inode{};
    Bytes offset;
    Bytes limit; ///< 0: to the end
    bool operator==(const LoopWindowFacts&) const = default;
};

/// What the kernel says of the device behind an open descriptor: asked of the descriptor, never of a path.
struct NodeFacts {
    DeviceNumber number;
    std::uint64_t disk_sequence{}; ///< 0 where the kernel has none (before 5.15)
    Bytes size;
    bool read_only{};
    std::optional<LoopWindowFacts> loop; ///< of a loop device
    bool operator==(const NodeFacts&) const = default;
};

/// An open device. Lets go of it when destroyed.
class OpenNode {
public:
    virtual ~OpenNode() = default;
    /// Open for reading alone, not exclusive, for as long as this object lives.
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Open for reading and writing, exclusively; -1 while the device is not held.
    [[nodiscard]] virtual int held_descriptor() const = 0;
    /// Fails with no_medium (the device went away, or this is no block device).
    [[nodiscard]] virtual Result<NodeFacts> facts() = 0;
    /// Takes the advisory locks of the device, which stay until this object is destroyed, and opens it exclusively,
    /// through its own descriptor: this very device, whatever its name means by now. Nothing happens where it is held
    /// already. Fails with refused where somebody else holds it: a mount in any name space, swap, dm, MD, ZFS, a
    /// program with O_EXCL, or a lock by the convention of udev; with no_permission, no_medium, io_failed.
    [[nodiscard]] virtual Result<void> hold() = 0;
    /// Whether no other process can write to the bytes of the device, through whatever node shows them; one that only
    /// reads them may. Fails with refused, naming node and process, or, unless `use` permits it, where not every
    /// process can be looked at; and with io_failed.
    [[nodiscard]] virtual Result<void> check_no_writer(Use use) = 0;
    /// Writes back what was written through the held descriptor and closes it, so that the device can be mounted. The
    /// locks stay. Fails with io_failed; the device is let go of all the same.
    [[nodiscard]] virtual Result<void> let_go() = 0;
    /// Every signature on the device and in each of its partitions that can be read, and where none can. Reads only.
    /// Fails with io_failed.
    [[nodiscard]] virtual Result<SignatureScan> signatures() = 0;
};

class Nodes {
public:
    virtual ~Nodes() = default;
    /// For reading, close-on-exec, not exclusive, without following a link.
    /// Fails with no_permission, no_medium (absent, or an empty slot), refused (read-only), io_failed.
    [[nodiscard]] virtual Result<std::unique_ptr<OpenNode>> open(const std::string& node) = 0;
};

} // namespace mediarig::media
