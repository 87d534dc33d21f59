// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/open_store.hpp"

#include "host/store/sqlite/connection.hpp"
#include "host/store/sqlite/sqlite_store.hpp"

namespace mediarig::store {

Result<std::unique_ptr<Store>> open_store(const std::filesystem::path& file) {
    auto connection = Connection::open(file);
    if (!connection) return fail(std::move(connection.error()));
    return std::make_unique<SqliteStore>(std::move(*connection));
}

Result<std::unique_ptr<Store>> open_store_read_only(const std::filesystem::path& file, const Advice& advice) {
    auto connection = Connection::open_to_read(file, advice);
    if (!connection) return fail(std::move(connection.error()));
    return std::make_unique<SqliteStore>(std::move(*connection));
}

} // namespace mediarig::store
