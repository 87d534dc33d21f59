// SPDX-License-Identifier: GPL-3.0-or-later
/// Converts profiles to explicit formats. spec_for() is the only list of the properties of a profile: `format
/// --profile` carries it out, and `inspect --expect` of the same name compares a medium with it
/// (conformance/profile_rules.cpp). Pure. The layouts (layouts/) give source and certainty of each figure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(FormatProfile, std::uint8_t, sd, windows, macos, linux)

/// `wanted` unset: the profile's file system for that capacity. `sector` is the logical sector size of the medium.
/// Fails with bad_request: the profile does not support that file system on this medium, the medium is too small or too
/// large, or the profile's layout is not publicly known.
[[nodiscard]] Result<FormatSpec> spec_for(FormatProfile profile, Bytes medium, std::uint32_t sector,
                                          std::optional<FileSystem> wanted);

/// Cluster size that the profile chooses for a volume of this length. Empty: the formatter chooses the size, or the
/// size is not publicly known.
[[nodiscard]] std::optional<Bytes> profile_cluster(FormatProfile profile, FileSystem fs, Bytes medium, Bytes volume);

/// Returns `spec` with its values replaced by the set values of `values`; the file system stays. A longer FAT from the
/// profile is dropped if `values` has a cluster size, boundary or partition, because its clusters may need another
/// length.
[[nodiscard]] FormatSpec laid_over(FormatSpec spec, const FormatSpec& values);

} // namespace mediarig::media
