// SPDX-License-Identifier: GPL-3.0-or-later
/// Combines the result of a checker with values read from the volume. Internal to host/media/format.
#pragma once

#include <cstddef>
#include <string>

#include "host/media/format/linux/tool.hpp"
#include "host/media/format_options.hpp"

namespace mediarig::media {

/// Limit of lines reported from a tool; more lines do not help the user.
inline constexpr std::size_t most_lines_said = 50;

/// `problem`: a fault read directly from the volume that the tool may have missed; empty if there is no such fault. A
/// volume is clean if the tool succeeded and `problem` is empty.
[[nodiscard]] CheckReport report_of(const Tool& checker, std::string version, const process::Finished& finished,
                                    const std::string& problem);

} // namespace mediarig::media
