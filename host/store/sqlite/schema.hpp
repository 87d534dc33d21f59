// SPDX-License-Identifier: GPL-3.0-or-later
/// The database schema. docs/reference/store.md describes it.
#pragma once

namespace soci {
class session;
}

namespace mediarig::store {

/// "mrig": identifies files of mediarig (PRAGMA application_id; file(1) shows this number too).
inline constexpr int application_id = 0x6D726967;
/// Value of PRAGMA user_version.
inline constexpr int schema_version = 1;

/// Identification of a database: program, version and number of tables.
struct SchemaState {
    int application{};
    int version{};
    int tables{};
    [[nodiscard]] bool blank() const { return application == 0 && version == 0 && tables == 0; }
};
/// Reads in the open transaction, or in a separate transaction. Does not catch SOCI's exceptions.
[[nodiscard]] SchemaState schema_state(soci::session& sql);

/// Creates the schema in a blank database. Requires an open write transaction, so that the schema is created completely
/// or not at all. Does not catch SOCI's exceptions.
void create_schema(soci::session& sql);

} // namespace mediarig::store
