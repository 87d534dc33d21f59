// SPDX-License-Identifier: GPL-3.0-or-later
/// A span of a claimed medium as a block device of its own: for drivers and tools that want a whole device, and cannot
/// have the claimed one, because the claim holds it exclusively.
/// Reasons: docs/development/decisions/media.md.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/claim/image/loop.hpp"

namespace mediarig::media {

/// Given back when destroyed. While one through a loop device lives, its medium counts as `held`, so that
/// ErasableMedium::recheck() fails: check before it is opened and after it was given back.
class MediumView {
public:
    /// Open for reading and writing, not exclusive; -1 once given back. Its byte 0 is the span's.
    [[nodiscard]] int descriptor() const { return loop_ ? loop_->descriptor() : own_.get(); }
    [[nodiscard]] const std::string& node() const { return node_; }
    [[nodiscard]] Bytes start() const { return start_; } ///< on the medium
    [[nodiscard]] Bytes length() const { return length_; }
    /// A loop device on the held descriptor; false: the kernel's own partition node.
    [[nodiscard]] bool through_loop() const { return loop_.has_value(); }
    /// Whether the loop device passes transfers on without keeping a copy of its own in this machine's memory.
    [[nodiscard]] bool direct_io() const { return !loop_ || loop_->direct_io(); }
    /// Waits until nothing is left of it. Idempotent; fails with io_failed while somebody holds it.
    [[nodiscard]] Result<void> give_back();

private:
    friend class ViewOpener;
    MediumView(std::string node, Bytes start, Bytes length) : node_(std::move(node)), start_(start), length_(length) {}
    std::string node_;
    Bytes start_, length_;
    Descriptor own_; ///< the kernel's partition node; none with a loop device
    std::optional<LoopAttachment> loop_;
};

/// Where the machine keeps what opening a view needs.
struct ViewAccess {
    std::string sysfs{"/sys"};
    std::string device_folder{"/dev"};
    std::string loop_control{"/dev/loop-control"};
};

/// A loop device on the held descriptor, over exactly that span; the claim goes on holding the medium. Fails with
/// bad_request (the span is not whole sectors, or not within the medium), refused (the held device is another one by
/// now), no_medium (the claim does not hold it), no_permission, io_failed.
[[nodiscard]] Result<MediumView> open_view(const ErasableMedium& medium, Bytes start, Bytes length,
                                           const ViewAccess& access = {});

/// For a mount that is to be measured without a loop device in the path: the kernel's own node of exactly that
/// partition, if need be after the kernel was asked to read the table again; where it has no such node, as open_view().
/// What is opened is checked against what is held: number, diskseq, start and size. The claim goes on holding the
/// medium. Fails as open_view().
[[nodiscard]] Result<MediumView> open_partition_to_mount(const ErasableMedium& medium, Bytes start, Bytes length,
                                                         const ViewAccess& access = {});

/// The last step before a driver is given `view`, which open_partition_to_mount() made, or the whole medium (null): the
/// claim lets go of the medium, for its exclusive open would keep the driver off. Below a loop device it need not.
/// Fails with io_failed, and with refused where somebody holds the partition.
[[nodiscard]] Result<void> let_go_to_mount(ErasableMedium& medium, const MediumView* view);

/// To be asked before anything is written: that a view can be had. Writes nothing, leaves nothing. Fails as
/// open_view().
[[nodiscard]] Result<void> rehearse_view(const ErasableMedium& medium, Bytes start, Bytes length,
                                         const ViewAccess& access = {});

} // namespace mediarig::media
