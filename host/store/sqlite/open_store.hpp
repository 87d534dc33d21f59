// SPDX-License-Identifier: GPL-3.0-or-later
/// The store in one SQLite file (docs/reference/store.md).
#pragma once

#include <filesystem>
#include <memory>

#include "host/base/result.hpp"
#include "host/store/sqlite/advice.hpp"
#include "host/store/store.hpp"

namespace mediarig::store {

/// Opens the store in `file`; makes it if the file is missing or empty. Its directory must exist. One thread at a time
/// may call a store; other threads and processes open their own. Fails with bad_request (a directory, not a database,
/// another program's database, another schema version, a path with a double quote) and with store_failed (not writable,
/// damaged, locked for more than 30 s).
[[nodiscard]] Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& file);

/// Opens a store for reading only, also if the file, the directory or the file system is not writable or full. Its
/// writing calls fail or change a temporary copy. Fails as open_store() does, and for a missing file.
[[nodiscard]] Result<std::unique_ptr<Store>> open_store_read_only(const std::filesystem::path& file,
                                                                  const Advice& advice = about_a_store);

} // namespace mediarig::store
