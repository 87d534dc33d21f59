// SPDX-License-Identifier: GPL-3.0-or-later
/// Puts a planned volume on a medium.
#pragma once

#include <atomic>

#include "host/media/format/hfsplus/layout.hpp"

namespace mediarig::media::hfsplus {

struct Written {
    Bytes cleared; ///< zeros; a device that can clear by itself does so
    Bytes pieces;  ///< structures
    bool operator==(const Written&) const = default;
};

/// Clears, writes the structures, brings them to the medium, and only then writes the volume headers: an interrupted
/// format leaves no volume, never half of one. `descriptor` is that of a device or of a file.
/// Fails with io_failed (names the structure and the offset), cancelled (when `cancel` became true; may be null).
[[nodiscard]] Result<Written> write_volume(int descriptor, const Layout& layout, const std::atomic<bool>* cancel);

} // namespace mediarig::media::hfsplus
