// SPDX-License-Identifier: GPL-3.0-or-later
/// Where on a claimed medium a file system lies.
#pragma once

#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/format/partition/volume_choice.hpp"

namespace mediarig::media {

/// By the inspector's readers, from the held descriptor and past this machine's cache of the medium, which does not
/// learn of what was written through a partition's node. Fails with bad_format where there is no such
/// volume (says what is there), no_medium, io_failed.
[[nodiscard]] Result<FoundVolume> find_volume(const ErasableMedium& medium, const VolumeRequest& request);

/// All of the medium, for a volume that shares it with no table.
[[nodiscard]] VolumeSpan whole_of(const ErasableMedium& medium);

} // namespace mediarig::media
