// SPDX-License-Identifier: GPL-3.0-or-later
/// A copy of a store that cannot be read in place: SQLite creates files next to a database with a write-ahead log, even
/// for reading. The copy is in a temporary folder.
#pragma once

#include <filesystem>
#include <utility>

#include "host/base/result.hpp"
#include "host/base/temporary_folder.hpp"
#include "host/store/sqlite/advice.hpp"

namespace mediarig::store {

class StoreCopy {
public:
    /// Copies the database and the content of its log. Fails with store_failed: the file is not readable, is not an
    /// SQLite database (and is not copied), or the copy does not fit on the disk.
    [[nodiscard]] static Result<StoreCopy> make(const std::filesystem::path& store, const Advice& advice);

    [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "store.db"; }

private:
    explicit StoreCopy(TemporaryFolder folder) : folder_(std::move(folder)) {}
    TemporaryFolder folder_;
};

} // namespace mediarig::store
