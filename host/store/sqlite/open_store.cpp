// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/open_store.hpp"

#include <array>
#include <fstream>
#include <string_view>

#include "host/store/sqlite/connection.hpp"
#include "host/store/sqlite/sqlite_store.hpp"

namespace mediarig::store {

Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& file) {
    auto connection = Connection::open(file);
    if (!connection) return fail(std::move(connection.error()));
    return std::make_unique<SqliteStore>(std::move(*connection));
}

Result<std::unique_ptr<Store>> open_store_to_read(const std::filesystem::path& file, const Advice& advice) {
    auto connection = Connection::open_to_read(file, advice);
    if (!connection) return fail(std::move(connection.error()));
    return std::make_unique<SqliteStore>(std::move(*connection));
}

bool is_database(const std::filesystem::path& file) {
    // https://sqlite.org/fileformat.html, 1.2: the header string.
    constexpr std::string_view magic("SQLite format 3\0", 16);
    std::error_code unknown;
    if (!std::filesystem::is_regular_file(file, unknown)) return false;
    std::array<char, magic.size()> head{};
    std::ifstream in(file, std::ios::binary);
    in.read(head.data(), head.size());
    return in && std::string_view(head.data(), head.size()) == magic;
}

} // namespace mediarig::store
