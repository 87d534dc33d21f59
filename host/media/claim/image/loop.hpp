// SPDX-License-Identifier: GPL-3.0-or-later
/// A loop device that stands on an open file or device, and goes with the object.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/claim/image/file_hold.hpp"
#include "host/media/claim/image/image_file.hpp"
#include "host/media/claim/node.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Which part of what is below the loop device shows.
struct LoopWindow {
    Bytes offset;
    Bytes length;               ///< 0: to the end
    std::uint32_t block_size{}; ///< of the loop device; 0: as the kernel chooses
};

/// Attached with autoclear: a killed process leaves nothing attached.
class LoopAttachment {
public:
    LoopAttachment(LoopAttachment&&) noexcept = default;
    LoopAttachment& operator=(LoopAttachment&&) noexcept;
    LoopAttachment(const LoopAttachment&) = delete;
    LoopAttachment& operator=(const LoopAttachment&) = delete;
    ~LoopAttachment(); ///< detaches; whoever still has it open keeps it until they close it

    [[nodiscard]] const std::string& node() const { return node_; }
    /// For reading and writing; -1 once detached.
    [[nodiscard]] int descriptor() const { return fd_.get(); }
    /// What it was made to show; compare with LOOP_GET_STATUS64 before writing, for others can change it.
    [[nodiscard]] const LoopWindowFacts& shows() const { return shows_; }
    /// Whether the kernel really does direct I/O below: where it cannot, it drops the request in silence.
    [[nodiscard]] bool direct_io() const { return direct_io_; }
    /// Waits until it is detached. Idempotent; fails with io_failed while somebody holds the device.
    [[nodiscard]] Result<void> detach();

private:
    friend Result<LoopAttachment> attach_to_free_loop(int, const std::string&, const LoopWindow&, const std::string&);
    LoopAttachment(std::string node, Descriptor fd, const LoopWindowFacts& shows, bool direct_io);
    std::string node_;
    Descriptor fd_;
    std::string window_; ///< as sysfs tells it; empty once detached
    LoopWindowFacts shows_;
    bool direct_io_{};
};

/// With direct I/O on what is below where that can. `file` is open for reading and writing and is not kept: the loop
/// device holds it by itself. `name` is what error texts and losetup call it.
/// Fails with no_permission, io_failed (no loop device is free, or the kernel has none).
[[nodiscard]] Result<LoopAttachment> attach_to_free_loop(int file, const std::string& name, const LoopWindow& window,
                                                         const std::string& loop_control = "/dev/loop-control");

/// Image files as media: attached to a loop device for as long as the object lives.
class LoopDevice {
public:
    [[nodiscard]] const std::string& node() const { return attachment_.node(); }
    [[nodiscard]] const std::string& image() const { return image_; }
    [[nodiscard]] bool direct_io() const { return attachment_.direct_io(); }
    /// Whether transfers really pass this host's cache of the image by: the kernel does direct I/O on whatever says
    /// that it can, and tmpfs and FUSE say so and cache all the same.
    [[nodiscard]] bool bypasses_host_cache() const;
    /// Whether still nobody else has the image open. Fails with refused.
    [[nodiscard]] Result<void> check_unused() const;
    /// What this machine did below it since: no room, a file that was shortened or written
    /// to, somebody who uses it.
    [[nodiscard]] std::optional<Error> trouble() const;
    /// What it was made to show.
    [[nodiscard]] const LoopWindowFacts& shows() const { return attachment_.shows(); }
    /// The image, open for reading and writing: for its cache and its file system's room.
    [[nodiscard]] int backing() const { return file_.get(); }
    /// The loop device of somebody else's that was named and is held exclusively meanwhile; else nothing.
    [[nodiscard]] const OwnDevices& own() const { return own_; }
    /// Idempotent; fails with io_failed while somebody holds the device.
    [[nodiscard]] Result<void> detach();

private:
    friend Result<LoopDevice> attach_loop(const std::string&, const process::Caller&, Use);
    friend Result<LoopDevice> attach_loop_beside(const Medium&, const process::Caller&);
    LoopDevice(Descriptor file, FileHold hold, LoopAttachment attachment, std::string image, Bytes end)
        : end_(end),
          file_(std::move(file)),
          hold_(std::move(hold)),
          attachment_(std::move(attachment)),
          image_(std::move(image)) {
        watch_ = ModificationWatch(file_.get(), direct_io());
    }
    Bytes end_;        ///< of what it shows, in the file
    Descriptor named_; ///< somebody else's loop device, exclusively
    OwnDevices own_;
    Descriptor file_;
    std::optional<FileHold> hold_;
    LoopAttachment attachment_;
    std::string image_;
    ModificationWatch watch_;
};

/// Opened with the rights of the caller, proved to be used by nobody else, locked, and attached through that same
/// descriptor: with direct I/O on the backing file where its file system allows, and autoclear, so that even a killed
/// process leaves nothing attached. An image of the caller's own whose use cannot be determined needs `use`. One that
/// another claim holds is refused before it is opened for writing. Fails with bad_request, no_permission, refused,
/// io_failed.
[[nodiscard]] Result<LoopDevice> attach_loop(const std::string& image, const process::Caller& caller = {},
                                             Use use = Use::must_be_known);

/// For a loop device that somebody else has attached to a file: whoever did can make it show other bytes, under a mount
/// and under an exclusive open as well. So it is held, and what it shows now of its file is attached anew and claimed
/// in its place: the same bytes, a window of our own. Fails as attach_loop(), with refused where the file behind it
/// cannot be reached by its name, is another one by now, or is
/// no medium's bytes, as a whole or in what the loop device shows.
[[nodiscard]] Result<LoopDevice> attach_loop_beside(const Medium& loop, const process::Caller& caller = {});

} // namespace mediarig::media
