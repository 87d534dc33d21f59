// SPDX-License-Identifier: GPL-3.0-or-later
/// A sparse image grows while it is written; where the disk below it is full the kernel tells the writer of an I/O
/// error, as of a broken medium.
#pragma once

#include <optional>
#include <string>

#include "host/result.hpp"

namespace mediarig::media {

/// no_driver where `image` has holes and the file system that holds it no room left to speak of; nothing else, and
/// where it does not say.
[[nodiscard]] std::optional<Error> lack_of_room(const std::string& image);

} // namespace mediarig::media
