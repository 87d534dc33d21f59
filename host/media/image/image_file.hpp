// SPDX-License-Identifier: GPL-3.0-or-later
/// An image file as a medium, before it is attached to anything.
#pragma once

#include <string>

#include "host/media/discovery.hpp"
#include "host/media/medium.hpp"
#include "host/process/caller.hpp"
#include "host/result.hpp"

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

} // namespace mediarig::media
