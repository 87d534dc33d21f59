// SPDX-License-Identifier: GPL-3.0-or-later
/// One partition of a claimed medium as a block device of its own: for drivers and tools that want a whole device.
/// Why in these two ways: docs/decisions/0160-a-partition-by-its-node-or-a-loop.md.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/media/claim.hpp"
#include "host/media/image/loop_attachment.hpp"
#include "host/media/linux/descriptor.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Given back when destroyed. While one through a loop device lives, the medium is held exclusively and counts as
/// `held`, so that ErasableMedium::recheck() fails: check before it is opened and after it was given back.
class PartitionView {
public:
    /// Open for reading and writing, not exclusive; -1 once given back. Its byte 0 is the partition's.
    [[nodiscard]] int descriptor() const { return loop_ ? loop_->descriptor() : own_.get(); }
    [[nodiscard]] const std::string& node() const { return node_; }
    [[nodiscard]] Bytes start() const { return start_; } ///< on the medium
    [[nodiscard]] Bytes length() const { return length_; }
    /// A loop device with an offset over the medium; false: the kernel's own partition node.
    [[nodiscard]] bool through_loop() const { return loop_.has_value(); }
    /// Whether the loop device passes transfers on without keeping a copy of its own in this machine's memory.
    [[nodiscard]] bool direct_io() const { return !loop_ || loop_->direct_io(); }
    /// Waits until nothing is left of it. Idempotent; fails with io_failed while somebody holds it.
    [[nodiscard]] Result<void> give_back();

private:
    friend class PartitionOpener;
    PartitionView(std::string node, Bytes start, Bytes length)
        : node_(std::move(node)), start_(start), length_(length) {}
    std::string node_;
    Bytes start_, length_;
    Descriptor own_;  ///< the kernel's partition node; none with a loop device
    Descriptor hold_; ///< the medium, exclusively, while a loop device shows a part of it
    std::optional<LoopAttachment> loop_;
};

/// Where the machine keeps what open_partition() needs.
struct PartitionAccess {
    std::string sysfs{"/sys"};
    std::string device_folder{"/dev"};
    std::string loop_control{"/dev/loop-control"};
    std::string mountinfo{"/proc/self/mountinfo"};
};

/// First the kernel's own node of exactly that start and length, if need be after the kernel was asked to read the
/// table again; else a loop device over the held descriptor. What is opened is checked against what is held: number,
/// diskseq, start and size. Fails with bad_request (the span is not whole sectors, or not within the medium), refused
/// (somebody holds the partition or the medium; or the held device is another one by now), no_medium, no_permission,
/// io_failed.
[[nodiscard]] Result<PartitionView> open_partition(const ErasableMedium& medium, Bytes start, Bytes length,
                                                   const PartitionAccess& access = {});

/// To be asked before anything is written, with a partition that the table is to list: where the kernel shows no
/// partitions of this medium, or their nodes do not appear in the device folder, that a loop device can be had. Writes
/// nothing, leaves nothing. Fails as open_partition().
[[nodiscard]] Result<void> rehearse_partition(const ErasableMedium& medium, Bytes start, Bytes length,
                                              const PartitionAccess& access = {});

} // namespace mediarig::media
