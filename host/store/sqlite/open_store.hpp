// SPDX-License-Identifier: GPL-3.0-or-later
/// The store in one SQLite file (docs/store.md).
#pragma once

#include <filesystem>
#include <memory>

#include "host/result.hpp"
#include "host/store/store.hpp"

namespace mediarig::store {

/// Opens the store in `file`; makes it where the file is missing or empty, and brings an older schema up to date. Its
/// directory must exist. One thread at a time may call a store; other threads and processes open their own.
/// Fails with store_failed (a directory, no database, another program's database, written by a newer mediarig, not
/// writable, damaged, locked for more than 30 s) and with bad_request for a path that holds a double quote.
[[nodiscard]] Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& file);

} // namespace mediarig::store
