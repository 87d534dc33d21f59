// SPDX-License-Identifier: GPL-3.0-or-later
/// Read-only inspection of a medium: partition table, file systems with all parameters and the position of their bytes,
/// the likely formatter, and remains of earlier formats.
#pragma once

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

/// Maximum number of bytes to read, for a medium of any size; InspectReport::unread lists the skipped ranges.
inline constexpr Bytes most_read_by_inspect = 64_MiB;
/// Bytes read at each end of a medium with unknown contents.
inline constexpr Bytes inspected_if_unknown = 1_MiB;

/// Reads from an open descriptor; never writes. If the contents cannot be parsed, returns a report with problems, not
/// an error. Fails with io_failed if sector 0 cannot be read and no other data identifies the contents; with bad_format
/// if the medium is too small for any contents.
[[nodiscard]] Result<InspectReport> inspect(int descriptor, Bytes size, std::uint32_t sector_size);

[[nodiscard]] Result<InspectReport> inspect(MediumReader medium, std::uint32_t sector_size);

/// Like inspect(), for an image file. It has no sector size: that of its table, or of the volume that fills it, is
/// adopted (512 or 4096).
[[nodiscard]] Result<InspectReport> inspect_image(int descriptor, Bytes size);

} // namespace mediarig::media
