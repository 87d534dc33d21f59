// SPDX-License-Identifier: GPL-3.0-or-later
/// Proof that no other process uses an image file, and the locks that exclude later users.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// While this object exists, the open file has an OFD write lock on all bytes and an exclusive flock. A loop device
/// attached through the same descriptor does not conflict. The destructor releases the locks even if another process
/// has the file open.
class ImageLock {
public:
    /// `file` is a regular file, open for reading and writing. On an overlay its descriptor is replaced by another one
    /// of the same file, because the upper file is checked while it is not open through the overlay.
    ///
    /// Requests a write lease for a moment. The kernel grants the lease only if the file has no other use: by a
    /// program, a mapping that outlived its descriptor, a loop device, swap or a mount. A file system without leases is
    /// accepted for a file of the caller only, and an overlay whose upper file cannot be found only if `use` also
    /// permits it.
    ///
    /// Fails with refused, naming the visible users of the file, and io_failed. Takes less than 1 ms if the file is
    /// unused, less than 100 ms otherwise.
    [[nodiscard]] static Result<ImageLock> take(process::FoundFile& file, const process::Caller& caller,
                                                Use use = Use::must_be_known);

    /// Like take(), for a file that is attached to a loop device of another process. The kernel grants no lease while
    /// that loop device is attached, so the programs are checked one by one. The caller must check the kernel's own
    /// uses of the file. Also fails if there are too many processes to check, for a file on an overlay, and for a file
    /// that an overlay of some mount namespace may show.
    [[nodiscard]] static Result<ImageLock> take_below_loop(process::FoundFile& file);

    ImageLock(ImageLock&&) noexcept = default;
    ImageLock& operator=(ImageLock&&) = delete;
    ImageLock(const ImageLock&) = delete;
    ImageLock& operator=(const ImageLock&) = delete;
    ~ImageLock();

    /// Requests the lease again, which reveals every later open with or without locks. Does nothing on file systems
    /// without leases. On an overlay this function finds loop devices, swap and mounts on the upper file. Fails with
    /// refused, io_failed.
    /// Messages do not list the loop devices in `own`.
    [[nodiscard]] Result<void> recheck(const OwnDevices& own = {}) const;

private:
    ImageLock(Descriptor file, std::string path, FileIdentity identity);
    Descriptor file_;  ///< shares the caller's open file description, which has the locks
    Descriptor upper_; ///< on an overlay: the file that contains the bytes, also locked
    std::string path_;
    FileIdentity identity_;
    bool leases_{true};
};

/// Uses of a file by the kernel: loop devices and the devices on them, swap, and file systems mounted directly from the
/// file. Messages call the file `name`. Fails with io_failed if the devices of the machine cannot be listed.
[[nodiscard]] Result<std::vector<Refusal>> kernel_uses_of(FileIdentity file, const std::string& name,
                                                          const OwnDevices& own);

/// Mount point of a file system that is mounted directly from a file on the file system `device`. The kernel reports
/// only the path at mount time, which may name another file now. Empty if there is no such mount.
[[nodiscard]] std::string mount_source_on(dev_t device);

/// Describes, for messages, the users of a file that is known to be in use, under all its identities: "open in process
/// 812 (sqlite3)", "attached to loop3". Does not list the loop devices in `own`. Uses at most 40 ms of processor time;
/// the text states if that time did not suffice to check every process.
[[nodiscard]] std::string describe_users(const std::vector<FileIdentity>& file, const std::string& name,
                                         const OwnDevices& own = {});

} // namespace mediarig::media
