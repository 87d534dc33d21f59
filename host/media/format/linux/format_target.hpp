// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/base/result.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/format/format.hpp"

namespace mediarig::media {

[[nodiscard]] FormatTarget whole(const ErasableMedium& medium);
/// Writes back and drops this machine's cache of the target and of the medium below it, so that the next read reaches
/// the medium. Fails with io_failed.
[[nodiscard]] Result<void> drop_cached(const FormatTarget& target);

} // namespace mediarig::media
