// SPDX-License-Identifier: GPL-3.0-or-later
/// What a checking tool found, together with what was read of the volume. Inner part of host/media/format.
#pragma once

#include <cstddef>
#include <string>

#include "host/media/format/linux/tool.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// More lines of a tool are no help to anybody.
inline constexpr std::size_t most_lines_said = 50;

/// `problem` is what we read of the volume that the tool may have passed over; empty where that is nothing. A volume is
/// clean where neither has anything to say.
[[nodiscard]] CheckReport report_of(const Tool& checker, std::string version, const process::Finished& finished,
                                    const std::string& problem);

} // namespace mediarig::media
