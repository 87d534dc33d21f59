// SPDX-License-Identifier: GPL-3.0-or-later
/// A maker's profile as an explicit format. Pure.
#pragma once

#include <cstdint>

#include "host/media/expect/profile.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// What comes as near to the profile on a medium of that size as a format can be told; what a formatter decides by
/// itself may still deviate, which deviations_from() tells of what was made. Fails with bad_request: a profile of
/// another medium, of no or several file systems (an EFI system partition in front apart), or with a value that is no
/// number where one has to be.
[[nodiscard]] Result<FormatSpec> spec_from(const Profile& profile, Bytes medium);

} // namespace mediarig::media
