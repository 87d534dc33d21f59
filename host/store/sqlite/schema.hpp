// SPDX-License-Identifier: GPL-3.0-or-later
/// The tables. docs/reference/store.md describes them.
#pragma once

namespace soci {
class session;
}

namespace mediarig::store {

/// "mrig": tells our files from those of other programs (PRAGMA application_id; file(1) shows it too).
inline constexpr int application_id = 0x6D726967;
/// PRAGMA user_version.
inline constexpr int schema_version = 1;

/// What a database says of itself.
struct SchemaState {
    int application{};
    int version{};
    int tables{};
    [[nodiscard]] bool blank() const { return application == 0 && version == 0 && tables == 0; }
};
/// Read in the transaction that is open, or in one of its own. Lets SOCI's exceptions through.
[[nodiscard]] SchemaState schema_state(soci::session& sql);

/// Of a blank database. Needs an open write transaction, which makes it all or nothing. Lets SOCI's exceptions through.
void create_schema(soci::session& sql);

} // namespace mediarig::store
