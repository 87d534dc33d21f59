// SPDX-License-Identifier: GPL-3.0-or-later
/// A maker's profile in a file, where a command also takes the name of a known layout.
#pragma once

#include <string>

#include "host/media/expect/profile.hpp"
#include "host/result.hpp"

namespace mediarig::app {

/// A name with a dot or a slash: no known layout has one.
[[nodiscard]] bool names_profile_file(const std::string& word);
/// Fails with bad_request, naming the file and the place in it.
[[nodiscard]] Result<media::Profile> read_profile(const std::string& file);

} // namespace mediarig::app
