// SPDX-License-Identifier: GPL-3.0-or-later
/// Plain SQL on a file without code of mediarig, as any user of sqlite3 can run it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "host/store/store.hpp"

struct sqlite3;

namespace mediarig::store {

class Database {
public:
    explicit Database(const std::filesystem::path& file);
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Runs any number of statements. Returns the rows of the last statement (columns joined by '|', NULL as "null"),
    /// or the error.
    std::vector<std::string> run(const std::string& sql);
    /// Returns the single expected row.
    std::string one(const std::string& sql);

private:
    sqlite3* handle_{};
};

/// Returns `text` with every `old` replaced by `now`.
[[nodiscard]] std::string replaced(std::string text, const std::string& old, const std::string& now);

/// "ok", or the output of PRAGMA integrity_check and foreign_key_check.
[[nodiscard]] std::string integrity_of(const std::filesystem::path& file);

/// The store in `directory` with the logs of its devices next to it, as the program opens both.
[[nodiscard]] Result<std::unique_ptr<Store>> open_logged(const std::filesystem::path& directory);

} // namespace mediarig::store
