// SPDX-License-Identifier: GPL-3.0-or-later
/// An image file as a medium, before it is attached to anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/units.hpp"
#include "host/base/descriptor.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"
#include "host/media/claim/discovery.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// From the open descriptor alone, which may be O_PATH: the node is its exact absolute path, `file` its identity, the
/// transport `image`, the number 0:0. Refusals: read_only, too_small; held, mounted, swap, system_disk by what the file
/// is used for; unknown_state. Whether it may be written is asked with the rights of the caller. Attaches nothing.
/// Fails with bad_request (no regular file, removed, or a path that is no plain text: see plain_path.hpp), io_failed.
[[nodiscard]] Result<Medium> describe_image(const process::FoundFile& file, const process::Caller& caller);
/// Whether what was typed may name the file that it led to: nothing below /dev is an image file elsewhere. Fails with
/// bad_request.
[[nodiscard]] Result<void> check_typed_path(const std::string& typed, const std::string& real);
/// Opens the path for that, with the rights of this process and without any effect on the file. Links are followed
/// once; loop devices in `own` are no use of it. Fails also with bad_request (absent, or a path below /dev that leads
/// out of it), no_permission.
[[nodiscard]] Result<Medium> describe_image(const std::string& path, const OwnDevices& own = {});

/// Paths that can be shown and typed without becoming another path. Pure.

/// UTF-8 without control characters (C0, DEL, C1) and without marks that turn the direction of text (U+061C, U+200E,
/// U+200F, U+202A to U+202E, U+2066 to U+2069). Spaces are text wherever they stand.
[[nodiscard]] bool is_plain_text(std::string_view path);
/// For people only: whatever is not plain becomes '?'.
[[nodiscard]] std::string plain_text_of(std::string_view path);

/// What this machine did to an image below its loop device: the kernel tells the writer of an I/O error, as of a broken
/// medium.

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
