// SPDX-License-Identifier: GPL-3.0-or-later
/// What this machine did to an image below its loop device: the kernel tells the writer of an I/O error, as of a broken
/// medium.
#pragma once

#include <optional>
#include <string>

#include "common/units.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// host_fault where the open `image` has holes and the file system that holds it no room left to speak of, or where it
/// ends before `end`, up to which it is shown; nothing else, and where it does not say. `name` is for the text.
[[nodiscard]] std::optional<Error> trouble_below(int image, Bytes end, const std::string& name);

} // namespace mediarig::media
