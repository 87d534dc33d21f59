// SPDX-License-Identifier: GPL-3.0-or-later
/// The words of a plan for its own values. Inner part of host/plan.
#pragma once

#include <array>
#include <string_view>

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

} // namespace mediarig::plan
