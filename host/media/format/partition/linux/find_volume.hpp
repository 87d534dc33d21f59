// SPDX-License-Identifier: GPL-3.0-or-later
/// Position of a file system on a claimed medium.
#pragma once

#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/format/partition/volume_choice.hpp"

namespace mediarig::media {

/// Uses the inspector's readers on the held descriptor and bypasses this machine's cache of the medium, which does not
/// contain writes through a partition's node. Fails with bad_format if there is no such volume (lists the existing
/// volumes), no_medium, io_failed.
[[nodiscard]] Result<FoundVolume> find_volume(const ErasableMedium& medium, const VolumeRequest& request);

/// The range of the whole medium, for a volume without a partition table.
[[nodiscard]] VolumeSpan whole_of(const ErasableMedium& medium);

} // namespace mediarig::media
