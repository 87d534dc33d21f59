// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

namespace mediarig::store {

/// True for an SQLite file. Checks only the first bytes: a store in use may have no table in its file yet.
[[nodiscard]] bool is_database(const std::filesystem::path& file);

} // namespace mediarig::store
