// SPDX-License-Identifier: GPL-3.0-or-later
/// The words of a plan for its own values. Inner part of host/plan.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/plan/plan.hpp"

namespace mediarig::plan {

[[nodiscard]] std::string_view name_of(Where where);    ///< "file_system", "raw"
[[nodiscard]] std::string_view name_of(OrderKind kind); ///< "listed", "reversed", "random_pairs", "counterbalanced"
[[nodiscard]] std::string_view name_of(OnFailure on_failure); ///< "next_step", "next_medium", "stop"
/// kept_name, the file system's name, or the profile's with the file system where one is named: "sd", "sd-exfat".
[[nodiscard]] std::string name_of(const FormatEntry& format);

/// What formats are called in steps, passes and limits: "exfat", "apfs", "exfat-2": two entries of one file system
/// are compared with each other and must never be pooled. One name for each entry of plan.formats.
[[nodiscard]] std::vector<std::string> format_names(const Plan& plan);

/// In place of a number of blocks: a comparison that goes on until it knows.
inline constexpr std::string_view endless_word = "endless";

/// "name", or "name-2", "name-3", … where `before` of that name came earlier.
[[nodiscard]] std::string numbered(std::string_view name, std::size_t before);

/// A given payload as text in a plan: "hex:00ff" or "base64:AP8=". Pure. Inner part of host/plan.

/// Nothing if the text is neither, is empty, or is cut off. Base64 with padding, RFC 4648 section 4.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> payload_from(std::string_view text);
/// "base64:…"; the inverse.
[[nodiscard]] std::string payload_text(std::span<const std::uint8_t> bytes);

/// On what a pass works, and the names by which plans, records, limits and metrics call it: a format of the plan, or
/// one of three words.
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
