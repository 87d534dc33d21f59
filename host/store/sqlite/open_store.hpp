// SPDX-License-Identifier: GPL-3.0-or-later
/// The store in one SQLite file (docs/reference/store.md).
#pragma once

#include <filesystem>
#include <memory>

#include "host/base/result.hpp"
#include "host/store/sqlite/advice.hpp"
#include "host/store/store.hpp"

namespace mediarig::store {

/// Opens the store in `file`; makes it where the file is missing or empty. Its
/// directory must exist. One thread at a time may call a store; other threads and processes open their own.
/// Fails with store_failed (a directory, no database, another program's database, of another schema version, not
/// writable, damaged, locked for more than 30 s) and with bad_request for a path that holds a double quote.
[[nodiscard]] Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& file);

/// The same for reading alone: of a file, a directory or a file system without write permission, and of a full one,
/// too. Its writing calls fail or change a copy that vanishes. Fails as open_store() does, and for a file that is not
/// there.
[[nodiscard]] Result<std::unique_ptr<Store>> open_store_to_read(const std::filesystem::path& file,
                                                                const Advice& advice = about_a_store);

/// By its first bytes alone: a store in use may have no table in its file yet.
[[nodiscard]] bool is_database(const std::filesystem::path& file);

} // namespace mediarig::store
