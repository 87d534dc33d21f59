// SPDX-License-Identifier: GPL-3.0-or-later
/// What the kernel says of the block device behind a descriptor.
#pragma once

#include <string>

#include "host/media/node.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// `node` is for error texts. Fails with no_medium (the device went away, or this is no block device).
[[nodiscard]] Result<NodeFacts> facts_of(int descriptor, const std::string& node);

} // namespace mediarig::media
