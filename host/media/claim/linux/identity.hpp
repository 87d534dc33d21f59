// SPDX-License-Identifier: GPL-3.0-or-later
/// Identity of a whole device from sysfs. Text from the device is made printable when it is read.
#pragma once

#include "host/media/claim/linux/ancestry.hpp"
#include "host/media/claim/linux/kernel/block_graph.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Fills node, number, place, sizes, transport and identity. Does not fill partitions and refusals, except
/// unknown_state for each of size, ro, removable, diskseq and sector size that could not be read.
[[nodiscard]] Medium identity_of(const BlockNode& disk, const std::vector<Ancestor>& ancestors);

} // namespace mediarig::media
