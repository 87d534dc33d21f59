// SPDX-License-Identifier: GPL-3.0-or-later
/// An image file as a medium, before it is attached to a loop device.
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

/// Describes an image through its open descriptor only, which may be O_PATH: node is the exact absolute path, `file`
/// the identity, transport `image`, number 0:0. Refusals: read_only, too_small; held, mounted, swap, system_disk
/// according to the uses of the file; unknown_state. Writability is checked with the rights of the caller. Attaches
/// nothing. Fails with bad_request (no regular file, removed, or a path that is not plain text: see plain_path.hpp),
/// io_failed.
[[nodiscard]] Result<Medium> describe_image(const process::FoundFile& file, const process::Caller& caller);
/// Checks that the typed path may name the file that the path resolves to: a path below /dev must not lead to an image
/// file elsewhere. Fails with bad_request.
[[nodiscard]] Result<void> check_typed_path(const std::string& typed, const std::string& real);
/// Opens the path for describe_image(), with the rights of this process and without any effect on the file. Links are
/// followed once; loop devices in `own` do not count as users of the file. Also fails with bad_request (absent, or a
/// path below /dev that leads out of it), no_permission.
[[nodiscard]] Result<Medium> describe_image(const std::string& path, const OwnDevices& own = {});

/// True if the path can be printed and typed without change: the path is UTF-8 without control characters (C0, DEL, C1)
/// and without marks that change the text direction (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).
/// Spaces are allowed anywhere. Pure.
[[nodiscard]] bool is_plain_text(std::string_view path);
/// For display only: replaces each character that is_plain() rejects by '?'.
[[nodiscard]] std::string plain_text_of(std::string_view path);

/// Reports a fault that this machine caused on an image below its loop device. The kernel reports such a fault as an
/// I/O error, like one of a broken medium. Returns host_fault if the open `image` has holes and its file system has
/// almost no free space, if the file ends before `end` (the end of the mapped range), or if the file may not be changed
/// by any user. Returns nothing otherwise and if the state is unknown. Messages call the image `name`.
[[nodiscard]] std::optional<Error> backing_file_fault(int image, Bytes end, const std::string& name);

/// Reports whether another process changes the bytes or the length of an open file, or may have changed them. Detects
/// each system call that writes (IN_MODIFY), and each last close of an open file that was open for writing, by a
/// program, a mapping or a loop device (IN_CLOSE_WRITE). ImageLock::recheck() finds processes that still have the file
/// open. Writes of a loop device with direct I/O raise no IN_MODIFY (drivers/block/loop.c calls the file system
/// itself); without direct I/O some kernels raise IN_MODIFY, so `ours_is_direct` must be set correctly. On an overlay,
/// uses of the upper file by its own path are not detected.
class ModificationWatch {
public:
    ModificationWatch() = default; ///< watches no file
    ModificationWatch(int file, bool ours_is_direct);
    /// Use of the file since the start of the watch: "wrote to", "had open for writing"; null if there was no use.
    [[nodiscard]] const char* seen() const;

private:
    Descriptor events_;
    mutable bool modified_{}, closed_{};
};

} // namespace mediarig::media
