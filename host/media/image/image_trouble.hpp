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

/// Whether anybody changes the bytes or the length of an open file by system calls on it. What a loop device with
/// direct I/O writes there goes past this notice of the kernel's (drivers/block/loop.c calls the file system itself);
/// without direct I/O some kernels tell it, too, so such a device is not watched. Writes through a mapping are not
/// seen.
class ModificationWatch {
public:
    ModificationWatch() = default; ///< of nothing
    explicit ModificationWatch(int file);
    /// Since the watch was made.
    [[nodiscard]] bool was_modified() const;

private:
    Descriptor events_;
    mutable bool modified_{};
};

} // namespace mediarig::media
