// SPDX-License-Identifier: GPL-3.0-or-later
/// Presents a span of a claimed medium as a separate block device, for drivers and tools that need a whole device. They
/// cannot use the claimed device, because the claim holds it exclusively. Reasons: docs/development/decisions/media.md.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/claim/image/loop.hpp"

namespace mediarig::media {

/// The destructor releases the view. While a view through a loop device exists, its medium counts as `held`, so that
/// ErasableMedium::recheck() fails: recheck before opening the view and after releasing it.
class MediumView {
public:
    /// Descriptor for reading and writing, not exclusive; -1 after detach(). Its byte 0 is the start of the span.
    [[nodiscard]] int descriptor() const { return loop_ ? loop_->descriptor() : own_.get(); }
    [[nodiscard]] const std::string& node() const { return node_; }
    [[nodiscard]] Bytes start() const { return start_; } ///< on the medium
    [[nodiscard]] Bytes length() const { return length_; }
    /// True for a loop device on the held descriptor; false for the kernel's partition node.
    [[nodiscard]] bool through_loop() const { return loop_.has_value(); }
    /// True if the loop device caches no data in this machine's memory.
    [[nodiscard]] bool direct_io() const { return !loop_ || loop_->direct_io(); }
    /// Waits until the device is detached. Idempotent. Fails with io_failed while another process holds it.
    [[nodiscard]] Result<void> detach();

private:
    friend class ViewOpener;
    MediumView(std::string node, Bytes start, Bytes length) : node_(std::move(node)), start_(start), length_(length) {}
    std::string node_;
    Bytes start_, length_;
    Descriptor own_; ///< the kernel's partition node; empty with a loop device
    std::optional<LoopAttachment> loop_;
};

/// System paths needed to open a view.
struct ViewAccess {
    std::string sysfs{"/sys"};
    std::string device_folder{"/dev"};
    std::string loop_control{"/dev/loop-control"};
};

/// Opens a loop device on the held descriptor, for exactly this span; the claim keeps holding the medium. Fails with
/// bad_request (the span does not consist of whole sectors, or is not within the medium), refused (the held device has
/// changed), no_medium (the claim does not hold the device), no_permission, io_failed.
[[nodiscard]] Result<MediumView> open_view(const ErasableMedium& medium, Bytes start, Bytes length,
                                           const ViewAccess& access = {});

/// Opens the kernel's node of exactly this partition, so that a mount is measured without a loop device. If necessary,
/// the kernel first reads the table again. If there is no such node, the result is that of open_view(). Number,
/// diskseq, start and size of the opened node are compared with those of the held medium. The claim keeps holding the
/// medium. Fails like open_view().
[[nodiscard]] Result<MediumView> open_partition_to_mount(const ErasableMedium& medium, Bytes start, Bytes length,
                                                         const ViewAccess& access = {});

/// Call this last before a driver receives `view` from open_partition_to_mount(), or the whole medium (null). Releases
/// the exclusive open of the medium, which would block the driver; not needed for a loop device. Fails with io_failed,
/// and with refused if another process holds the partition.
[[nodiscard]] Result<void> release_for_mount(ErasableMedium& medium, const MediumView* view);

/// Checks before the first write that a view can be opened. Writes nothing and leaves no device. Fails like
/// open_view().
[[nodiscard]] Result<void> check_view(const ErasableMedium& medium, Bytes start, Bytes length,
                                      const ViewAccess& access = {});

} // namespace mediarig::media
