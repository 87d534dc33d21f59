// SPDX-License-Identifier: GPL-3.0-or-later
/// The catalog of an empty volume: the root folder, and the two files that a Mac looks for by name before it uses the
/// journal. Inner part of encode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/media/format/hfsplus/layout.hpp"

namespace mediarig::media::hfsplus {

inline constexpr std::uint32_t root_parent_id = 1, root_folder_id = 2, first_user_id = 16;
inline constexpr const char16_t* journal_file_name = u".journal";
inline constexpr const char16_t* journal_info_file_name = u".journal_info_block";

/// Each with its key in front, in the order of the tree.
[[nodiscard]] std::vector<std::vector<std::byte>> catalog_records(const Layout& layout, std::uint32_t date);

/// One leaf that is its tree's only one; needs room for the records.
[[nodiscard]] std::vector<std::byte> leaf_node(const std::vector<std::vector<std::byte>>& records,
                                               std::uint32_t node_size);

} // namespace mediarig::media::hfsplus
