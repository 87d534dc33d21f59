// SPDX-License-Identifier: GPL-3.0-or-later
/// An image file as a medium, before it is attached to anything.
#pragma once

#include <string>

#include "host/media/medium.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// The node is the absolute path without symbolic links, the transport `image`, the number 0:0. Refusals: held (a loop
/// device stands on it), swap, read_only, too_small, unknown_state.
/// Fails with bad_request (absent, a directory, no regular file), no_permission, io_failed. Attaches nothing.
[[nodiscard]] Result<Medium> describe_image(const std::string& path);

} // namespace mediarig::media
