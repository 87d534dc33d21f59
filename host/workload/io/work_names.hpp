// SPDX-License-Identifier: GPL-3.0-or-later
/// Names of the files and folders that jobs create in a work folder. Nothing else is ever removed. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/workload/spec.hpp"

namespace mediarig::workload {

inline constexpr const char* span_file = "span.bin";
/// "piece-7.bin". Called for each of a million files: allocates at most once.
[[nodiscard]] std::string piece_file(std::uint64_t index);
/// "folder-7"
[[nodiscard]] std::string folder_name(std::uint64_t index);

/// The name of file `index`, by the naming rule of the set; and the file of a name.
[[nodiscard]] std::string name_of_file(const FileSet& set, std::uint32_t index, std::uint64_t seed);
[[nodiscard]] std::optional<std::uint32_t> file_called(const FileSet& set, std::string_view name, std::uint64_t seed);
/// Returns true if a job may have created a file with this numbered name, piece_file excepted.
[[nodiscard]] bool is_numbered_name(std::string_view name);

[[nodiscard]] bool is_job_file(std::string_view name);
[[nodiscard]] bool is_job_folder(std::string_view name);

} // namespace mediarig::workload
