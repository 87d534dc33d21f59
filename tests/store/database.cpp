// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/store/database.hpp"

#include <sqlite3.h>

#include <stdexcept>
#include <utility>

#include "host/store/logged_store.hpp"
#include "host/store/sqlite/open_store.hpp"

namespace mediarig::store {

Database::Database(const std::filesystem::path& file) {
    if (sqlite3_open(file.c_str(), &handle_) != SQLITE_OK) throw std::runtime_error("cannot open " + file.string());
}

Database::~Database() {
    sqlite3_close(handle_);
}

std::vector<std::string> Database::run(const std::string& sql) {
    std::vector<std::string> rows;
    const auto on_row = [](void* out, int columns, char** values, char**) {
        std::string row;
        for (int i = 0; i < columns; ++i) row += (i == 0 ? "" : "|") + std::string(values[i] ? values[i] : "null");
        static_cast<std::vector<std::string>*>(out)->push_back(row);
        return 0;
    };
    char* error = nullptr;
    if (sqlite3_exec(handle_, sql.c_str(), on_row, &rows, &error) != SQLITE_OK) {
        rows = {error == nullptr ? "error" : error};
        sqlite3_free(error);
    }
    return rows;
}

std::string Database::one(const std::string& sql) {
    const auto rows = run(sql);
    return rows.size() == 1 ? rows.front() : std::to_string(rows.size()) + " rows";
}

std::string replaced(std::string text, const std::string& old, const std::string& now) {
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + now.size()))
        text.replace(at, old.size(), now);
    return text;
}

std::string integrity_of(const std::filesystem::path& file) {
    Database database(file);
    const std::string integrity = database.one("PRAGMA integrity_check");
    const auto orphans = database.run("PRAGMA foreign_key_check");
    return orphans.empty() ? integrity : "orphan in " + orphans.front();
}

Result<std::unique_ptr<Store>> open_logged(const std::filesystem::path& directory) {
    auto store = open_store(directory / "mediarig.db");
    if (!store) return store;
    return make_logged_store(std::move(*store), directory / "devices");
}

} // namespace mediarig::store
