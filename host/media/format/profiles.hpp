// SPDX-License-Identifier: GPL-3.0-or-later
/// What `inspect --expect` of the same name finds nothing to say about, as an explicit format: whoever carries it out
/// knows no profiles. Pure. Sources and certainty of each figure stand with the layouts (layouts/).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

enum class FormatProfile : std::uint8_t { sd, windows, macos, linux };
/// "sd", "windows", "macos", "linux".
[[nodiscard]] std::string_view name_of(FormatProfile profile);
/// Fails with bad_request, naming the choices.
[[nodiscard]] Result<FormatProfile> format_profile_from(std::string_view name);
[[nodiscard]] std::vector<std::string> format_profile_names();

/// `wanted` unset: the file system that the profile takes at that capacity. `sector` is the medium's logical one.
/// Fails with bad_request: the profile does not have that file system there, the medium is too small or too large, or
/// what the profile would do is not publicly known.
[[nodiscard]] Result<FormatSpec> spec_for(FormatProfile profile, Bytes medium, std::uint32_t sector,
                                          std::optional<FileSystem> wanted);

/// `spec` with what `values` sets instead; the file system stays. A longer FAT of the profile goes with a cluster size,
/// boundary or partition of its own, whose clusters may need another length.
[[nodiscard]] FormatSpec laid_over(FormatSpec spec, const FormatSpec& values);

} // namespace mediarig::media
