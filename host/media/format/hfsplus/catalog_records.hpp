// SPDX-License-Identifier: GPL-3.0-or-later
/// The catalog of an empty volume: the root folder, and the two files that a Mac looks up by name before it uses the
/// journal. Internal to encode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/media/format/hfsplus/layout.hpp"

namespace mediarig::media::hfsplus {

inline constexpr std::uint32_t root_parent_id = 1, root_folder_id = 2, first_user_id = 16;
inline constexpr const char16_t* journal_file_name = u".journal";
inline constexpr const char16_t* journal_info_file_name = u".journal_info_block";

/// Records with their keys, in the order of the tree.
[[nodiscard]] std::vector<std::vector<std::byte>> catalog_records(const Layout& layout, std::uint32_t date);

/// The only leaf of a tree; the records must fit into one node.
[[nodiscard]] std::vector<std::byte> leaf_node(const std::vector<std::vector<std::byte>>& records,
                                               std::uint32_t node_size);

} // namespace mediarig::media::hfsplus
