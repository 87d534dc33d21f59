// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a planned volume to a medium.
#pragma once

#include <atomic>

#include "host/media/format/hfsplus/layout.hpp"

namespace mediarig::media::hfsplus {

struct Written {
    Bytes cleared; ///< bytes set to zero, by the device itself if it can clear its blocks
    Bytes pieces;  ///< bytes of the written structures
    bool operator==(const Written&) const = default;
};

/// Clears the ranges, writes the structures, flushes them to the medium, then writes the volume headers: an interrupted
/// format leaves no volume rather than a partial one. `descriptor` belongs to a device or a file. Fails with io_failed
/// (names the structure and the offset), cancelled (if `cancel` became true; `cancel` may be null).
[[nodiscard]] Result<Written> write_volume(int descriptor, const Layout& layout, const std::atomic<bool>* cancel);

} // namespace mediarig::media::hfsplus
