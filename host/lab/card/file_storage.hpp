// SPDX-License-Identifier: GPL-3.0-or-later
/// Storage of a modelled medium in a sparse file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "host/lab/card/storage.hpp"

namespace mediarig::lab {

/// Use of this kernel's page cache. In a guest, `none`: dirty pages of a card's contents would count as those of the
/// tested file system, and its writers would be throttled for them.
enum class FileCaching : std::uint8_t { usual, none };

/// Opens the file exclusively, or creates an empty sparse file of `size` bytes. Fails with bad_request (longer than
/// `size`, or not a regular file), refused (another process has it), no_permission, io_failed.
[[nodiscard]] Result<std::unique_ptr<Storage>> open_file_storage(const std::string& path, Bytes size,
                                                                 FileCaching caching = FileCaching::usual);

} // namespace mediarig::lab
