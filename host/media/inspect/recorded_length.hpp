// SPDX-License-Identifier: GPL-3.0-or-later
/// Lengths that file systems without a reader here record in their superblock.
#pragma once

#include <string>
#include <string_view>

#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

/// Fault of a volume that is shorter than its superblock states, as after a copy that ended early: "s_blocks_count at
/// byte 1028: the ext4 of N bytes is larger than its partition or medium of M bytes". Empty if it fits, if its
/// superblock cannot be read, or for other file systems. `file_system` as in ContentSignature.
[[nodiscard]] std::string truncation_of(const MediumReader& medium, Bytes start, Bytes length,
                                        std::string_view file_system);

} // namespace mediarig::media
