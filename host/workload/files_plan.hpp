// SPDX-License-Identifier: GPL-3.0-or-later
/// What a job of files works on, from its start value alone: the same on every machine and file system, so that several
/// formats get the identical list of changes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
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

/// The file of `from` that file `index` of `set` is a copy of: copies are spread over those in their order.
[[nodiscard]] std::uint32_t source_of_copy(std::uint32_t index, const FileSet& set, const FileSet& from);

/// Which of the last folders file `index` lies in.
[[nodiscard]] std::uint64_t leaf_of(const FileSet& set, std::uint32_t index);
/// "folder-3/folder-0", where file `index` lies; empty where the set has no folders.
[[nodiscard]] std::string folder_of(const FileSet& set, std::uint32_t index);
/// How many there are, on all levels.
[[nodiscard]] std::uint64_t folders_in(const FileSet& set);

} // namespace mediarig::workload
