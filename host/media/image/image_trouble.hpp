// SPDX-License-Identifier: GPL-3.0-or-later
/// What this machine did to an image below its loop device: the kernel tells the writer of an I/O error, as of a broken
/// medium.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/descriptor.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// host_fault where the open `image` has holes and the file system that holds it no room left to speak of, or where it
/// ends before `end`, up to which it is shown, or where its file may not be changed by anybody; nothing else, and where
/// it does not say. `name` is for the text.
[[nodiscard]] std::optional<Error> trouble_below(int image, Bytes end, const std::string& name);

/// Whether another process changes the bytes or the length of an open file, or may have done so: each system call that
/// writes (IN_MODIFY), and each closing by which the last user of a descriptor that was open for writing goes, be it a
/// program, a mapping or a loop device (IN_CLOSE_WRITE). Those that still have it open are found by
/// FileHold::recheck(). What a loop device with direct I/O writes there raises no IN_MODIFY (drivers/block/loop.c calls
/// the file system itself); without direct I/O some kernels raise it, too, so `ours_is_direct` has to tell. Of an
/// overlay, uses of the upper file by its own path are not seen.
class ModificationWatch {
public:
    ModificationWatch() = default; ///< of nothing
    ModificationWatch(int file, bool ours_is_direct);
    /// Since the watch was made: "wrote to", "had open for writing"; null for nothing.
    [[nodiscard]] const char* seen() const;

private:
    Descriptor events_;
    mutable bool modified_{}, closed_{};
};

} // namespace mediarig::media
