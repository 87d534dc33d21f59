// SPDX-License-Identifier: GPL-3.0-or-later
/// Walks through a whole B-tree and complains of whatever does not hold together.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "host/media/format/hfsplus/complaints.hpp"
#include "host/media/format/hfsplus/fork.hpp"
#include "host/media/format/hfsplus/keys.hpp"
#include "host/media/inspect/hfsplus_tree.hpp"

namespace mediarig::media::hfsplus {

/// The record of a leaf; both parts are valid during the call only.
using OnRecord = std::function<void(Raw key, Raw data)>;

/// Complains under `name` ("catalog file"). Calls `on_record` for each record with a sound key, in the order of the
/// tree.
void walk_tree(const ForkReader& fork, const std::string& name, KeyKind keys, Complaints& complaints,
               const OnRecord& on_record);

/// The header of a tree, for what has to be known before the walk.
[[nodiscard]] std::optional<HfsPlusTree> tree_header(const ForkReader& fork);

} // namespace mediarig::media::hfsplus
