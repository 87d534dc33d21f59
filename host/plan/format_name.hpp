// SPDX-License-Identifier: GPL-3.0-or-later
/// On what a pass works, and the names by which plans, records, limits and metrics call it: a format of the plan, or
/// one of three words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mediarig::plan {

enum class Ground : std::uint8_t {
    format,    ///< what the plan made: "exfat", "exfat-2", "sd", or as the plan calls it
    kept,      ///< the volume that was on the medium
    raw,       ///< the bare device
    directory, ///< a directory of this host
};
inline constexpr std::string_view kept_name = "keep", raw_name = "raw", directory_name = "directory";

/// `name`: PassRecord::format, Step::format_name, StepKey::format.
[[nodiscard]] Ground ground_called(std::string_view name);

/// What people read for such a name, and for that of a file system: "exFAT", "HFS+ Journaled", "exFAT-2", "present
/// volume"; "raw", "directory" and what a plan calls a format as they are.
[[nodiscard]] std::string title_of_format(std::string_view name);
/// With its preposition: "under exFAT", "on the present volume", "on the bare device", "in the directory".
[[nodiscard]] std::string place_of_format(std::string_view name);

} // namespace mediarig::plan
