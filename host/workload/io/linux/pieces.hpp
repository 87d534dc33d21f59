// SPDX-License-Identifier: GPL-3.0-or-later
/// Where a file lies on its medium. Inner part.
#pragma once

#include <cstdint>
#include <optional>

namespace mediarig::workload {

/// In how many pieces, what lies side by side counting as one: FIEMAP, or FIBMAP where the file system has only that
/// and the caller may ask (root). Nothing where neither answers.
[[nodiscard]] std::optional<std::uint64_t> pieces_of(int fd);

} // namespace mediarig::workload
