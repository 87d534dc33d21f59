// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace mediarig::store {

/// True if the file is an SQLite database. Checks only the first bytes: a store in use may not have a table in its file
/// yet.
[[nodiscard]] bool is_database(const std::filesystem::path& file);

} // namespace mediarig::store
