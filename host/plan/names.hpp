// SPDX-License-Identifier: GPL-3.0-or-later
/// The names of values in a plan. Internal to host/plan.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/plan/plan.hpp"

namespace mediarig::plan {

/// kept_name, the name of the file system, or the name of the profile, followed by the file system if one is set: "sd",
/// "sd-exfat".
[[nodiscard]] std::string name_of(const FormatEntry& format);

/// The names of formats in steps, passes and limits: "exfat", "apfs", "exfat-2". Two entries with the same file system
/// are compared with each other and must never be pooled. Returns one name per entry of plan.formats.
[[nodiscard]] std::vector<std::string> format_names(const Plan& plan);

/// The word that replaces the number of blocks: the comparison then continues until it is decided.
inline constexpr std::string_view endless_word = "endless";

/// "name", or "name-2", "name-3", … if `before` earlier entries have the same name.
[[nodiscard]] std::string numbered(std::string_view name, std::size_t before);

/// Reads an explicit payload of a plan: "hex:00ff" or "base64:AP8=". Returns nothing if the text is in neither format,
/// is empty, or is truncated. Base64 with padding, RFC 4648 section 4. Pure.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> payload_from(std::string_view text);
/// The inverse of payload_from(), as "base64:…".
[[nodiscard]] std::string payload_text(std::span<const std::uint8_t> bytes);

/// The object that a pass measures, and the names of such objects in plans, records, limits and metrics: a format of
/// the plan, or one of three words.
enum class PassTarget : std::uint8_t {
    format,    ///< created by the plan: "exfat", "exfat-2", "sd", or a name from the plan
    kept,      ///< the existing volume of the medium
    raw,       ///< the bare device
    directory, ///< a directory of this host
};
inline constexpr std::string_view kept_name = "keep", raw_name = "raw", directory_name = "directory";

/// `name`: PassRecord::format, Step::format_name, StepKey::format.
[[nodiscard]] PassTarget pass_target_from(std::string_view name);

/// Returns the displayed form of a PassTarget's name or of a file system's name: "exFAT", "HFS+ Journaled", "exFAT-2",
/// "present volume". "raw", "directory" and names that the plan defines are unchanged.
[[nodiscard]] std::string title_of_format(std::string_view name);
/// Returns the displayed form of a name with its preposition: "under exFAT", "on the present volume", "on the bare
/// device", "in the directory".
[[nodiscard]] std::string place_of_format(std::string_view name);

} // namespace mediarig::plan
