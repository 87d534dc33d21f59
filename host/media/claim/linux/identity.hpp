// SPDX-License-Identifier: GPL-3.0-or-later
/// Everything that sysfs tells about who a whole device is. Text of the device is made printable on the way in.
#pragma once

#include "host/media/claim/linux/ancestry.hpp"
#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Fills node, number, place, sizes, transport and identity; partitions and refusals are left to others, except
/// unknown_state for each of size, ro, removable, diskseq and sector size that could not be read.
[[nodiscard]] Medium identity_of(const BlockNode& disk, const std::vector<Ancestor>& ancestors);

} // namespace mediarig::media
