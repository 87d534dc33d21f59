// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/format/format.hpp"

namespace mediarig::media {

[[nodiscard]] FormatTarget whole(const ErasableMedium& medium);
/// Writes back what this machine holds of the target and of the medium below it, and forgets it, so that the next read
/// is answered by the medium. Fails with io_failed.
[[nodiscard]] Result<void> drop_cached(const FormatTarget& target);

} // namespace mediarig::media
