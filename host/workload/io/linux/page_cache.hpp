// SPDX-License-Identifier: GPL-3.0-or-later
/// Drops pages from the page cache and checks the result.
#pragma once

#include <optional>

#include "host/workload/io/system.hpp"

namespace mediarig::workload {

/// Number of bytes of the first `size` bytes of a file or block device that are in the page cache. Returns nothing if
/// the kernel does not report it.
[[nodiscard]] std::optional<Bytes> resident(int fd, Bytes size);

/// Writes back dirty pages, then drops all pages of the first `size` bytes.
[[nodiscard]] CacheDrop drop_page_cache(int fd, Bytes size);

} // namespace mediarig::workload
