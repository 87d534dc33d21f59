// SPDX-License-Identifier: GPL-3.0-or-later
/// A store that cannot be read where it lies: SQLite makes files beside a database with a write-ahead log, even to read
/// it. So it is read from a folder of our own.
#pragma once

#include <filesystem>
#include <utility>

#include "host/result.hpp"
#include "host/store/sqlite/advice.hpp"

namespace mediarig::store {

class StoreCopy {
public:
    /// Copies the database and what is in its log. Fails with store_failed: not readable, no SQLite database (which is
    /// not copied), no room for the copy.
    [[nodiscard]] static Result<StoreCopy> make(const std::filesystem::path& store, const Advice& advice);
    StoreCopy(StoreCopy&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
    StoreCopy& operator=(StoreCopy&&) = delete;
    StoreCopy(const StoreCopy&) = delete;
    StoreCopy& operator=(const StoreCopy&) = delete;
    ~StoreCopy(); ///< removes it

    [[nodiscard]] std::filesystem::path file() const { return folder_ / "store.db"; }

private:
    explicit StoreCopy(std::filesystem::path folder) : folder_(std::move(folder)) {}
    std::filesystem::path folder_; ///< empty after a move
};

} // namespace mediarig::store
