// SPDX-License-Identifier: GPL-3.0-or-later
/// One connection to one SQLite file, with the settings that the store's promises rest on. SOCI's exceptions end here.
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
    /// For reading alone. A store that cannot be written is read where it is if SQLite can do that, else as a copy.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open_to_read(const std::filesystem::path& file,
                                                                          const Advice& advice = about_a_store);

    /// Runs `body` in a write transaction. It is committed if `body` succeeds; else, and when SOCI throws, nothing of
    /// it stays. `doing` begins the error: "storing cell x". When it returns well the data is on the disk. Within
    /// another write or read it is part of that one's transaction.
    [[nodiscard]] Result<void> write(const std::string& doing, const std::function<Result<void>()>& body);

    /// Runs `body` on one unchanging state of the store, whatever others write meanwhile. Where the body fails with
    /// store_failed, `more` is said behind it.
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

    /// The same of a campaign's records: where one does not read back, it says where it may be found.
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
    /// Fails with bad_request where there are no tables, and none are to be made.
    [[nodiscard]] Result<void> set_up(bool makes_tables);
    [[nodiscard]] Result<SchemaState> known_schema();
    [[nodiscard]] Result<void> transaction(const std::string& doing, const char* begin,
                                           const std::function<Result<void>()>& body);
    /// Whether the file that is written still has its name. Where it has not, nothing of it stays beside the file that
    /// has the name now.
    [[nodiscard]] bool is_in_place();
    /// The first of the files beside the store that is not the one which an earlier write saw there; empty for none.
    [[nodiscard]] std::string exchanged_beside();

    std::string file_; ///< as the user knows it
    Advice advice_;
    std::optional<StoreCopy> copy_;
    std::unique_ptr<soci::session> sql_;
    bool in_transaction_{false};
    std::map<std::string_view, std::pair<dev_t, ino_t>> beside_; ///< by ending, as the first write saw them
};

} // namespace mediarig::store
