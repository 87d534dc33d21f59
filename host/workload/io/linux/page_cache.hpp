// SPDX-License-Identifier: GPL-3.0-or-later
/// Getting the page cache out of the way, and checking that it is.
#pragma once

#include <optional>

#include "host/workload/io/system.hpp"

namespace mediarig::workload {

/// How much of the first `size` bytes of a file or block device the page cache holds; nothing where the kernel does not
/// tell.
[[nodiscard]] std::optional<Bytes> resident(int fd, Bytes size);

/// Writes dirty pages back, then drops all pages of the first `size` bytes.
[[nodiscard]] Dropped drop_page_cache(int fd, Bytes size);

} // namespace mediarig::workload
