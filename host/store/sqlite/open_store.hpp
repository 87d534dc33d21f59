// SPDX-License-Identifier: GPL-3.0-or-later
/// The store in one SQLite file (docs/reference/store.md).
#pragma once

#include <filesystem>
#include <memory>

#include "host/base/result.hpp"
#include "host/store/sqlite/advice.hpp"
#include "host/store/store.hpp"

namespace mediarig::store {

/// Opens the store in `file`; creates it if the file is missing or empty. The directory must exist. Only one thread at
/// a time may call a store; other threads and processes open the file separately. Fails with bad_request (a directory,
/// not a database, another program's database, another schema version, a path with a double quote) and with
/// store_failed (not writable, damaged, locked for more than 30 s).
[[nodiscard]] Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& file);

/// Opens a store for reading only, even if the file, the directory or the file system is full or not writable.
/// Functions that write fail or change a temporary copy. Fails like open_store(), and also for a missing file.
[[nodiscard]] Result<std::unique_ptr<Store>> open_store_read_only(const std::filesystem::path& file,
                                                                  const Advice& advice = about_a_store);

} // namespace mediarig::store
