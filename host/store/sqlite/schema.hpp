// SPDX-License-Identifier: GPL-3.0-or-later
/// The tables, and how a file of an older version becomes one of this version. The reader's guide is docs/store.md.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace soci {
class session;
}

namespace mediarig::store {

/// "mrig": tells our files from those of other programs (PRAGMA application_id; file(1) shows it too).
inline constexpr int application_id = 0x6D726967;

/// Statements that lead from one version to the next. A released migration never changes; a new one is added behind it.
using Migration = std::vector<const char*>;

/// The first makes version 1 from nothing; their number is the version this program knows.
[[nodiscard]] std::span<const Migration> migrations();
[[nodiscard]] inline int known_version() {
    return static_cast<int>(migrations().size());
}

/// What a database says of itself.
struct SchemaState {
    int application{};
    int version{}; ///< PRAGMA user_version
    int tables{};
    [[nodiscard]] bool blank() const { return application == 0 && version == 0 && tables == 0; }
};
/// Read in the transaction that is open, or in one of its own. Lets SOCI's exceptions through.
[[nodiscard]] SchemaState schema_state(soci::session& sql);

/// Runs what is missing between `from` and the known version. Needs an open write transaction, which makes it all or
/// nothing. Lets SOCI's exceptions through.
void migrate(soci::session& sql, int from);

} // namespace mediarig::store
