// SPDX-License-Identifier: GPL-3.0-or-later
/// The proof that nobody else uses an image file, and the locks that keep others out from then on.
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

/// While it lives, the open file has an OFD write lock over all its bytes and an exclusive flock; a loop device that
/// was attached to the same descriptor does not disturb it. Released when destroyed, whoever still has the file open.
class FileHold {
public:
    /// `file` is a regular file, open for reading and writing; on an overlay its descriptor is exchanged for another
    /// one of the same file, because the file below has to be asked while it is not open through the overlay. For a
    /// moment the kernel is asked for a write lease, which it grants only where nobody else has the file open in any
    /// way: not a program, not a mapping that outlived its descriptor, not a loop device, swap or a mount. A file
    /// system without leases, and an overlay whose upper file cannot be found, are accepted only for a file of the
    /// caller's own, and only if `use` permits that. Fails with refused, naming
    /// who uses the file as far as that can be seen, and io_failed. Below 1 ms where the file is free, below 100 ms
    /// where it is not.
    [[nodiscard]] static Result<FileHold> take(process::FoundFile& file, const process::Caller& caller,
                                               Use use = Use::must_be_known);

    /// For a file that a loop device of somebody else's stands on: as long as that has it open the kernel grants no
    /// lease, so programs are looked for one by one. What else the kernel does with the file is the caller's to ask.
    /// Fails as take(), also where there are too many processes to look at each, and for a file of an overlay, or one
    /// that an overlay of some mount namespace may show.
    [[nodiscard]] static Result<FileHold> take_below_loop(process::FoundFile& file);

    FileHold(FileHold&&) noexcept = default;
    FileHold& operator=(FileHold&&) = delete;
    FileHold(const FileHold&) = delete;
    FileHold& operator=(const FileHold&) = delete;
    ~FileHold();

    /// Asks for the lease again: whoever opened the file since then is found, locks or no locks. Nothing where the file
    /// system has no leases. Of an overlay, loop devices, swap and mounts on the file below are found. Fails with
    /// refused, io_failed.
    [[nodiscard]] Result<void> recheck() const;

private:
    FileHold(Descriptor file, std::string path, FileIdentity identity);
    Descriptor file_;  ///< shares the caller's open file description: the locks are on that
    Descriptor upper_; ///< of an overlay: the file that holds the bytes, locked as well
    std::string path_;
    FileIdentity identity_;
    bool leases_{true};
};

/// Who uses a file: what the kernel does with it, and which programs have it open.

/// Loop devices and what stands on them, swap, file systems mounted straight from it; texts call the file `name`.
/// Fails with io_failed where the machine's devices cannot be listed.
[[nodiscard]] Result<std::vector<Refusal>> kernel_uses_of(FileIdentity file, const std::string& name,
                                                          const OwnDevices& own);

/// Where a file system is mounted straight from a file that may be any of those on the file system `device`: the kernel
/// tells only the name that it was mounted by, which may be another file's by now. Empty where none is seen.
[[nodiscard]] std::string mounted_from_some_file_on(dev_t device);

/// Only for messages, of a file, under all its identities, that is known to be in use: "open in process 812 (sqlite3)",
/// "attached to loop3". Takes about 40 ms of processor time at most, and says so where that was not enough to look at
/// every process.
[[nodiscard]] std::string describe_users(const std::vector<FileIdentity>& file, const std::string& name);

} // namespace mediarig::media
