// SPDX-License-Identifier: GPL-3.0-or-later
/// What is on a medium, read-only: partition table, file systems with every parameter and the place of its bytes, who
/// formatted it, and what former formats left behind.
#pragma once

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

/// However large the medium is: what lies beyond is in InspectReport::unread.
inline constexpr Bytes most_read_by_inspect = 64_MiB;

/// Reads from an open descriptor; never writes. A medium that does not parse is a report with problems, not an error.
/// Fails with io_failed where sector 0 cannot be read and nothing else tells what the medium holds, bad_format where
/// the medium is too small to hold anything.
[[nodiscard]] Result<InspectReport> inspect(int descriptor, Bytes size, std::uint32_t sector_size);

[[nodiscard]] Result<InspectReport> inspect(MediumReader medium, std::uint32_t sector_size);

} // namespace mediarig::media
