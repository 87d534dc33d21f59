// SPDX-License-Identifier: GPL-3.0-or-later
/// A loop device on an open file or device; detached when the object is destroyed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/claim/image/image_file.hpp"
#include "host/media/claim/image/image_lock.hpp"
#include "host/media/claim/node.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Part of the backing file or device that the loop device maps.
struct LoopWindow {
    Bytes offset;
    Bytes length;               ///< 0: up to the end of the file
    std::uint32_t block_size{}; ///< of the loop device; 0: default of the kernel
};

/// Attached with autoclear, so a killed process leaves no attachment.
class LoopAttachment {
public:
    LoopAttachment(LoopAttachment&&) noexcept = default;
    LoopAttachment& operator=(LoopAttachment&&) noexcept;
    LoopAttachment(const LoopAttachment&) = delete;
    LoopAttachment& operator=(const LoopAttachment&) = delete;
    ~LoopAttachment(); ///< detaches; if another process has the loop device open, it stays attached until that process
                       ///< closes it

    [[nodiscard]] const std::string& node() const { return node_; }
    /// Descriptor for reading and writing; -1 after detach().
    [[nodiscard]] int descriptor() const { return fd_.get(); }
    /// Configured window. Compare it with LOOP_GET_STATUS64 before writing, because other processes can change the
    /// window.
    [[nodiscard]] const LoopWindowFacts& shows() const { return shows_; }
    /// True if the kernel actually uses direct I/O on the backing file; the kernel ignores the request without an error
    /// if direct I/O is impossible.
    [[nodiscard]] bool direct_io() const { return direct_io_; }
    /// Detaches and waits for completion. Idempotent. Fails with io_failed while another process holds the device.
    [[nodiscard]] Result<void> detach();

private:
    friend Result<LoopAttachment> attach_to_free_loop(int, const std::string&, const LoopWindow&, const std::string&);
    LoopAttachment(std::string node, Descriptor fd, const LoopWindowFacts& shows, bool direct_io);
    std::string node_;
    Descriptor fd_;
    std::string window_; ///< as reported by sysfs; empty after detach()
    LoopWindowFacts shows_;
    bool direct_io_{};
};

/// Attaches with direct I/O if the backing file supports it. `file` is open for reading and writing; the loop device
/// keeps its own reference, so the caller may close it. Messages and losetup call the file `name`. Fails with
/// no_permission, io_failed (no free loop device, or no loop support in the kernel).
[[nodiscard]] Result<LoopAttachment> attach_to_free_loop(int file, const std::string& name, const LoopWindow& window,
                                                         const std::string& loop_control = "/dev/loop-control");

/// An image file as a medium: attached to a loop device for the lifetime of the object.
class LoopDevice {
public:
    [[nodiscard]] const std::string& node() const { return attachment_.node(); }
    [[nodiscard]] const std::string& image() const { return image_; }
    [[nodiscard]] bool direct_io() const { return attachment_.direct_io(); }
    /// True if transfers actually bypass this host's cache of the image. The kernel uses direct I/O on each file system
    /// that claims support; tmpfs and FUSE claim support but cache nevertheless.
    [[nodiscard]] bool bypasses_host_cache() const;
    /// Checks that no other process has opened the image since it was attached. Fails with refused.
    [[nodiscard]] Result<void> check_unused() const;
    /// Fault that this machine caused below the loop device since it was attached: no free space, a file that was
    /// shortened or modified, another user of the file.
    [[nodiscard]] std::optional<Error> backing_fault() const;
    /// Configured window of the loop device.
    [[nodiscard]] const LoopWindowFacts& shows() const { return attachment_.shows(); }
    /// Descriptor of the image, open for reading and writing; for its cache and the free space of its file system.
    [[nodiscard]] int backing() const { return file_.get(); }
    /// The loop device of another process that the caller named, held exclusively; otherwise empty.
    [[nodiscard]] const OwnDevices& own() const { return own_; }
    /// Detaches the image. Idempotent. Fails with io_failed while another process holds the device.
    [[nodiscard]] Result<void> detach();

private:
    friend Result<LoopDevice> attach_loop(const std::string&, const process::Caller&, Use);
    friend Result<LoopDevice> attach_sibling_loop(const Medium&, const process::Caller&);
    LoopDevice(Descriptor file, ImageLock hold, LoopAttachment attachment, std::string image, Bytes end)
        : end_(end),
          file_(std::move(file)),
          hold_(std::move(hold)),
          attachment_(std::move(attachment)),
          image_(std::move(image)) {
        watch_ = ModificationWatch(file_.get(), direct_io());
    }
    Bytes end_;                                 ///< end of the mapped range in the file
    Descriptor named_;                          ///< loop device of another process, open exclusively
    std::optional<std::uint64_t> named_writes_; ///< sectors written through it when it was claimed
    OwnDevices own_;
    Descriptor file_;
    std::optional<ImageLock> hold_;
    LoopAttachment attachment_;
    std::string image_;
    ModificationWatch watch_;
};

/// Opens the image with the rights of the caller, proves that no other process uses it, locks it, and attaches it
/// through the same descriptor: with direct I/O on the backing file if its file system supports that, and with
/// autoclear, so that a killed process leaves nothing attached. An image of the caller whose use cannot be determined
/// needs `use`. An image that another claim holds is refused before it is opened for writing. Fails with bad_request,
/// no_permission, refused, io_failed.
[[nodiscard]] Result<LoopDevice> attach_loop(const std::string& image, const process::Caller& caller = {},
                                             Use use = Use::must_be_known);

/// Attaches the bytes of a loop device that another process attached to a file. That process can change the mapped
/// range, even under a mount and an exclusive open. So this function holds the device and attaches the currently mapped
/// part of the file to a second loop device, which is claimed instead. Fails like attach_loop(). Also fails with
/// refused if the path of the backing file cannot be opened, or names another file or a file that is shorter than the
/// mapped range, or if the whole file or its mapped part has the format of another program (check_raw_part()).
[[nodiscard]] Result<LoopDevice> attach_sibling_loop(const Medium& loop, const process::Caller& caller = {});

} // namespace mediarig::media
