// SPDX-License-Identifier: GPL-3.0-or-later
/// Traverses a whole B-tree and reports inconsistencies.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/media/inspect/hfsplus_errors.hpp"
#include "host/media/inspect/hfsplus_fork.hpp"
#include "host/media/inspect/hfsplus_keys.hpp"
#include "host/media/inspect/hfsplus_tree.hpp"

namespace mediarig::media::hfsplus {

/// Record of a leaf; both parts are valid only during the call.
using OnRecord = std::function<void(Raw key, Raw data)>;

/// Reports problems under `name` ("catalog file"). Calls `on_record` for each record with a valid key, in the order of
/// the tree.
void walk_tree(const ForkReader& fork, const std::string& name, KeyKind keys, CheckErrors& errors,
               const OnRecord& on_record);

/// All records of the extents overflow file. Reports problems under its name.
[[nodiscard]] Overflow read_overflow(const ForkReader& extents_file, CheckErrors& errors);

/// Header of a tree, for data that is needed before the traversal.
[[nodiscard]] std::optional<HfsPlusTree> tree_header(const ForkReader& fork);

} // namespace mediarig::media::hfsplus
