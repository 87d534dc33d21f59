// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a planned volume to a medium.
#pragma once

#include <atomic>

#include "host/media/format/hfsplus/layout.hpp"

namespace mediarig::media::hfsplus {

struct Written {
    Bytes cleared; ///< zeros; a device that can clear its blocks does so
    Bytes pieces;  ///< structures
    bool operator==(const Written&) const = default;
};

/// Clears, writes the structures, flushes them to the medium, then writes the volume headers: an interrupted format
/// leaves no volume rather than a partial one. `descriptor` belongs to a device or a file. Fails with io_failed (names
/// the structure and the offset), cancelled (when `cancel` became true; may be null).
[[nodiscard]] Result<Written> write_volume(int descriptor, const Layout& layout, const std::atomic<bool>* cancel);

} // namespace mediarig::media::hfsplus
