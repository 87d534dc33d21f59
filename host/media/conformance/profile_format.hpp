// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts a manufacturer's profile to an explicit format. Pure.
#pragma once

#include <cstdint>

#include "host/media/conformance/profile.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// The format closest to the profile on a medium of this size. The formatter decides some values itself;
/// deviations_from() reports the resulting deviations. Fails with bad_request: a profile for another medium, without a
/// file system or with several (except an EFI system partition before the file system), or with an invalid number.
[[nodiscard]] Result<FormatSpec> spec_from(const Profile& profile, Bytes medium);

} // namespace mediarig::media
