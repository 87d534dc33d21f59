// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/result.hpp"

namespace mediarig::media {

/// Writes back what the kernel holds of the medium and forgets it, so that the next read is answered by the medium.
/// Fails with io_failed, after it has tried all that it can.
[[nodiscard]] Result<void> drop_cached(int descriptor);

} // namespace mediarig::media
