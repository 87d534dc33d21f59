// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/store_copy.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/store/sqlite/database_file.hpp"

namespace mediarig::store {

namespace fs = std::filesystem;

Result<StoreCopy> StoreCopy::make(const fs::path& store, const Advice& advice) {
    if (!is_database(store))
        return fail(advice.damage,
                    fmt::format("{} is not a mediarig store (not an SQLite database, or not readable): {}",
                                store.string(), advice.another));
    auto folder = TemporaryFolder::make("mediarig-store-copy-");
    if (!folder)
        return fail(
            Errc::store_failed,
            fmt::format("{} cannot be written, and no copy of it can be made: {}; name another folder with TMPDIR",
                        store.string(), folder.error().detail));
    StoreCopy copy{std::move(*folder)};
    std::error_code failed;
    fs::copy_file(store, copy.file(), failed);
    const fs::path log = store.string() + "-wal";
    std::error_code absent;
    if (!failed && fs::exists(log, absent)) fs::copy_file(log, copy.file().string() + "-wal", failed);
    // The copy has the permissions of its source: make it writable.
    if (!failed) fs::permissions(copy.file(), fs::perms::owner_read | fs::perms::owner_write, failed);
    if (failed)
        return fail(Errc::store_failed,
                    fmt::format("{} cannot be written, and copying it to {} failed: {}; free some space there, or name "
                                "another folder with TMPDIR",
                                store.string(), copy.folder_.path().parent_path().string(), failed.message()));
    fs::permissions(copy.file().string() + "-wal", fs::perms::owner_read | fs::perms::owner_write, absent);
    return copy;
}

} // namespace mediarig::store
