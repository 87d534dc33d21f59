// SPDX-License-Identifier: GPL-3.0-or-later
/// What a job of files works on, from its start value alone: the same on every machine and file system, so that several
/// formats get the identical list of changes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// x = a / (1 - u (1 - a / b)) from a to b, the inverse of the law's distribution function; needs 0 < a <= b, `u` from
/// 0 to 1.
[[nodiscard]] Bytes size_by_square_law(const SizeLaw& law, double u);

/// Of file `index` in its `version`-th edition.
[[nodiscard]] Bytes size_of_file(const FileSet& set, std::uint32_t index, std::uint32_t version, std::uint64_t seed);

/// The numbers of files in the order in which a step takes them; `round` tells steps of one kind apart.
[[nodiscard]] std::vector<std::uint32_t> order_of(const FileSet& set, const FileStep& step, std::uint64_t seed,
                                                  std::uint64_t round);

/// What file `index` is called, by the set's kind of names; and the file that a name is of.
[[nodiscard]] std::string name_of_file(const FileSet& set, std::uint32_t index, std::uint64_t seed);
[[nodiscard]] std::optional<std::uint32_t> file_called(const FileSet& set, std::string_view name, std::uint64_t seed);
/// Whether a job may have given a file a name with a number in it that is no WorkFolder::piece_file.
[[nodiscard]] bool is_numbered_name(std::string_view name);

/// The file of `from` that file `index` of `set` is a copy of: copies are spread over those in their order.
[[nodiscard]] std::uint32_t source_of_copy(std::uint32_t index, const FileSet& set, const FileSet& from);

/// Which of the last folders file `index` lies in.
[[nodiscard]] std::uint64_t leaf_of(const FileSet& set, std::uint32_t index);
/// "folder-3/folder-0", where file `index` lies; empty where the set has no folders.
[[nodiscard]] std::string folder_of(const FileSet& set, std::uint32_t index);
/// How many there are, on all levels.
[[nodiscard]] std::uint64_t folders_in(const FileSet& set);

} // namespace mediarig::workload
