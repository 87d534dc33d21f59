// SPDX-License-Identifier: GPL-3.0-or-later
/// Image files as media: attached to a loop device for as long as the object lives.
#pragma once

#include <optional>
#include <string>

#include "host/descriptor.hpp"
#include "host/media/discovery.hpp"
#include "host/media/image/file_hold.hpp"
#include "host/media/image/image_trouble.hpp"
#include "host/media/image/loop_attachment.hpp"
#include "host/media/medium.hpp"
#include "host/process/caller.hpp"
#include "host/result.hpp"

namespace mediarig::media {

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
