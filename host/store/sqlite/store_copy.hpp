// SPDX-License-Identifier: GPL-3.0-or-later
/// A store that cannot be read where it lies: SQLite makes files beside a database with a write-ahead log, even to read
/// it. So it is read from a folder of our own.
#pragma once

#include <filesystem>
#include <utility>

#include "host/base/result.hpp"
#include "host/base/temporary_folder.hpp"
#include "host/store/sqlite/advice.hpp"

namespace mediarig::store {

class StoreCopy {
public:
    /// Copies the database and what is in its log. Fails with store_failed: not readable, no SQLite database (which is
    /// not copied), no room for the copy.
    [[nodiscard]] static Result<StoreCopy> make(const std::filesystem::path& store, const Advice& advice);

    [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "store.db"; }

private:
    explicit StoreCopy(TemporaryFolder folder) : folder_(std::move(folder)) {}
    TemporaryFolder folder_;
};

} // namespace mediarig::store
