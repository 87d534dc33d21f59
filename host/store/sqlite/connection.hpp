// SPDX-License-Identifier: GPL-3.0-or-later
/// One connection to one SQLite file, with the settings that the store's guarantees require. Converts SOCI's exceptions
/// to errors.
#pragma once

#include <soci/soci.h>
#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/result.hpp"
#include "host/store/sqlite/advice.hpp"
#include "host/store/sqlite/schema.hpp"
#include "host/store/sqlite/store_copy.hpp"

namespace mediarig::store {

class Connection {
public:
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& file);
    /// Opens the file for reading only. A store that is not writable is read in place if SQLite supports that,
    /// otherwise through a copy.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open_to_read(const std::filesystem::path& file,
                                                                          const Advice& advice = about_a_store);

    /// Runs `body` in a write transaction, which is committed if `body` succeeds and rolled back if `body` fails or
    /// SOCI throws. The error begins with `doing`: "storing cell x". On success the data is on the disk. A call within
    /// another write() or read() joins that transaction.
    [[nodiscard]] Result<void> write(const std::string& doing, const std::function<Result<void>()>& body);

    /// Runs `body` on one unchanging state of the store, even if other processes write to it. If `body` fails with
    /// store_failed, `more` is appended to the error.
    template <class Body>
    [[nodiscard]] auto read(const std::string& doing, Body body, std::string_view more = {}) -> decltype(body()) {
        decltype(body()) result = fail(Errc::store_failed, doing);
        auto ran = transaction(doing, "BEGIN", [&]() -> Result<void> {
            result = body();
            return {};
        });
        if (!ran) return fail(std::move(ran.error()));
        if (!result && result.error().code == Errc::store_failed)
            result.error().detail = file_ + ": " + result.error().detail + std::string(more);
        return result;
    }

    /// Like read(), for records of a campaign: the error for an unreadable record also states where a copy may be.
    template <class Body>
    [[nodiscard]] auto read_records(const std::string& doing, Body body) -> decltype(body()) {
        return read(doing, std::move(body), advice_.records);
    }

    [[nodiscard]] soci::session& sql() { return *sql_; }
    [[nodiscard]] const std::string& file() const { return file_; }

private:
    Connection(std::string file, const Advice& advice) : file_(std::move(file)), advice_(advice) {}
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open_in_place(const std::filesystem::path& absolute,
                                                                           const Advice& advice);
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open_copy(const std::filesystem::path& absolute,
                                                                       const Advice& advice);
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::filesystem::path& file, bool makes_tables,
                                                                  const Advice& advice);
    /// Fails with bad_request if the file has no tables and `makes_tables` is false.
    [[nodiscard]] Result<void> set_up(bool makes_tables);
    [[nodiscard]] Result<SchemaState> known_schema();
    [[nodiscard]] Result<void> transaction(const std::string& doing, const char* begin,
                                           const std::function<Result<void>()>& body);
    /// True if the open file still has its name. If another file has the name now, empties the log next to that file.
    [[nodiscard]] bool is_in_place();
    /// Returns the first companion file that was replaced since the first write; empty if all are unchanged.
    [[nodiscard]] std::string replaced_sidecar();

    std::string file_; ///< as the user typed it
    Advice advice_;
    std::optional<StoreCopy> copy_;
    std::unique_ptr<soci::session> sql_;
    bool in_transaction_{false};
    std::map<std::string_view, std::pair<dev_t, ino_t>> beside_; ///< companion files by suffix, as of the first write
};

} // namespace mediarig::store
