// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: operations on a device node that a claim needs. Adapters: linux/; tests use fake disks that count every
/// written byte.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/claim/signature.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Window of a loop device, as the kernel reports it (LOOP_GET_STATUS64). A process that may open the device can change
/// the window, even while the device is mounted or held exclusively, and the disk sequence stays the same.
struct LoopWindowFacts {
    std::uint64_t backing_device{}; ///< st_dev of the file, or number of the block device below
    std::uint64_t backing_inode{};
    Bytes offset;
    Bytes limit; ///< 0: up to the end
    bool operator==(const LoopWindowFacts&) const = default;
};

/// The kernel's facts about the device of an open descriptor; always queried through the descriptor, never by path.
struct NodeFacts {
    DeviceNumber number;
    std::uint64_t disk_sequence{}; ///< 0 if the kernel has none (before 5.15)
    Bytes size;
    bool read_only{};
    std::optional<LoopWindowFacts> loop; ///< for a loop device
    bool operator==(const NodeFacts&) const = default;
};

/// An open device. The destructor releases it.
class OpenNode {
public:
    virtual ~OpenNode() = default;
    /// Read-only descriptor, not exclusive, valid for the lifetime of this object.
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Descriptor for reading and writing, exclusive; -1 while the device is not held.
    [[nodiscard]] virtual int held_descriptor() const = 0;
    /// Fails with no_medium (the device is gone, or this is not a block device).
    [[nodiscard]] virtual Result<NodeFacts> facts() = 0;
    /// Takes the advisory locks of the device, which last until this object is destroyed, and opens it exclusively
    /// through the existing descriptor, so that a changed name has no effect. Does nothing if the device is already
    /// held. Fails with refused if the device has another exclusive user: a mount in any namespace, swap, dm, MD, ZFS,
    /// a program with O_EXCL, or a lock by the udev convention; with no_permission, no_medium, io_failed.
    [[nodiscard]] virtual Result<void> hold() = 0;
    /// Checks that no other process can write to the bytes of the device through any node; readers are permitted. Fails
    /// with refused (the error names node and process), also if some process cannot be inspected and `use` does not
    /// permit that; and with io_failed.
    [[nodiscard]] virtual Result<void> check_no_writer(Use use) = 0;
    /// Writes back data written through the held descriptor and closes it, so that the device can be mounted. The locks
    /// remain. Fails with io_failed, but releases the device in any case.
    [[nodiscard]] virtual Result<void> release() = 0;
    /// Returns all signatures on the device and in each readable partition, and the unreadable ranges. Never writes.
    /// Fails with io_failed.
    [[nodiscard]] virtual Result<SignatureScan> signatures() = 0;
};

class Nodes {
public:
    virtual ~Nodes() = default;
    /// Opens a node read-only, close-on-exec, not exclusive, without following a link. Fails with no_permission,
    /// no_medium (absent, or an empty slot), refused (read-only), io_failed.
    [[nodiscard]] virtual Result<std::unique_ptr<OpenNode>> open(const std::string& node) = 0;
};

} // namespace mediarig::media
