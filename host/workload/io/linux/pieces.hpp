// SPDX-License-Identifier: GPL-3.0-or-later
/// Location of a file on its medium. Inner part.
#pragma once

#include <cstdint>
#include <optional>

namespace mediarig::workload {

/// Number of pieces of a file; adjacent extents count as one. Uses FIEMAP, or FIBMAP if the file system supports only
/// that and the caller has the right to use it (root). Returns nothing if neither works.
[[nodiscard]] std::optional<std::uint64_t> pieces_of(int fd);

} // namespace mediarig::workload
