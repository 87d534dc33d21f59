// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>
#include <thread>

#include "host/base/text.hpp"
#include "host/store/sqlite/database_file.hpp"

namespace mediarig::store {
namespace {

namespace fs = std::filesystem;

/// This time suffices for a checkpoint of a large log on a slow disk, and is too short to look like a hang.
constexpr std::chrono::seconds busy_time_out{30};

/// Returns an explanation of an SQLite result code for the user; for other codes, the text of SQLite.
std::string meaning_of(int code, const std::string& file, const std::string& said, const Advice& advice) {
    std::error_code unknown;
    const fs::space_info free_space = fs::space(fs::path(file).parent_path(), unknown);
    constexpr std::uintmax_t hardly_any = 1 << 20;
    // On a full disk, the memory-mapped files next to the database fail with an I/O error.
    const bool full = (code & 0xFF) == SQLITE_IOERR && !unknown && free_space.available < hardly_any;
    switch (full ? SQLITE_FULL : code & 0xFF) {
        case SQLITE_FULL:
            return fmt::format("no space left for {}: delete files on its disk; everything stored before is intact",
                               file);
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return fmt::format("another process kept {} locked for {} s: wait for it or end it, then try again", file,
                               busy_time_out.count());
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_CANTOPEN:
            return fmt::format("{} cannot be written ({}): make it and its directory writable, or {}", file, said,
                               advice.another);
        case SQLITE_CORRUPT:
            return fmt::format("the store {} is damaged ({}): {}{}", file, said, advice.damaged, advice.records);
        case SQLITE_NOTADB:
            return fmt::format("{} is not a mediarig store (not an SQLite database): {}", file, advice.another);
        default:
            return fmt::format("{}: {}: check its disk", file, said);
    }
}

/// Shortens a message of SOCI, which may span several lines, contain the statement, and begin with a function name:
/// "sqlite3_statement_backend::loadOne: database disk image is malformed".
std::string what_is_said(std::string text) {
    text = first_line(text);
    const std::size_t function = text.find("::"), end = text.find(": ");
    if (function < end && end != text.npos && text.find(' ') > end) text.erase(0, end + 2);
    return text;
}

Error error_of(const std::string& doing, const std::string& file, const std::exception& thrown, const Advice& advice) {
    if (const auto* sqlite = dynamic_cast<const soci::sqlite3_soci_error*>(&thrown)) {
        const int cause = sqlite->result() & 0xFF;
        return {cause == SQLITE_CORRUPT  ? advice.damage
                : cause == SQLITE_NOTADB ? Errc::bad_request
                                         : Errc::store_failed,
                fmt::format("{}: {}", doing,
                            meaning_of(sqlite->result(), file, what_is_said(sqlite->get_error_message()), advice))};
    }
    return {Errc::store_failed, fmt::format("{}: {}: {}", doing, file, what_is_said(thrown.what()))};
}

sqlite_api::sqlite3* handle_of(soci::session& sql) {
    // SOCI exports no type information of its back ends.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-static-cast-downcast)
    return static_cast<const soci::sqlite3_session_backend*>(sql.get_backend())->conn_;
}

/// True if the open file was renamed or removed: its content would be lost when this process ends.
bool has_moved(soci::session& sql) {
    int moved = 0;
    return sqlite_api::sqlite3_file_control(handle_of(sql), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK &&
           moved != 0;
}

/// Files next to a store while a process writes to it; the lock file of its campaigns stays permanently.
constexpr std::array stay_beside_store = {"-wal", "-shm", ".lock"};

bool may(int what, const fs::path& path) {
    return ::faccessat(AT_FDCWD, path.c_str(), what, AT_EACCESS) == 0;
}

/// Checks the path before SQLite opens it, because messages here are more helpful than "unable to open database file".
/// A name that a store cannot have is a bad request.
Result<void> check_path(const fs::path& file, const Advice& advice) {
    const std::string name = file.string();
    if (name.find('"') != std::string::npos)
        return fail(
            Errc::bad_request,
            fmt::format("the path of a store may not contain a double quote: {}: choose another path with --store",
                        name));
    std::error_code ignored;
    const fs::file_status status = fs::status(file, ignored);
    if (fs::is_directory(status) && advice.can_be_made)
        return fail(Errc::bad_request, fmt::format("{} is a directory: name a file in it with --store, such as {}",
                                                   name, (file / "mediarig.db").lexically_normal().string()));
    if (fs::is_directory(status))
        return fail(Errc::bad_request, fmt::format("{} is a directory: {}", name, advice.another));
    if (fs::exists(status) && !fs::is_regular_file(status))
        return fail(Errc::bad_request, fmt::format("{} is not a regular file: {}", name, advice.another));
    // SQLite treats a file that is shorter than a database header as an empty database, and would overwrite it.
    if (fs::exists(status) && fs::file_size(file, ignored) > 0 && may(R_OK, file) && !is_database(file))
        return fail(Errc::bad_request,
                    fmt::format("{} is not a mediarig store (not an SQLite database): {}", name, advice.another));
    const fs::path directory = file.parent_path();
    if (!fs::is_directory(directory, ignored))
        return fail(Errc::bad_request, fmt::format("cannot make {}: there is no directory {}: create it, or {}", name,
                                                   directory.string(), advice.another));
    return {};
}

struct SideFile {
    const char* ending;
    /// First bytes of such a file: https://sqlite.org/fileformat2.html, sections 3 and 4.1; walformat.html,
    /// section 2.1.
    std::string_view begins;
};
using namespace std::string_view_literals;
constexpr std::array side_files{SideFile{"-journal", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"sv},
                                SideFile{"-wal", "\x37\x7f\x06"sv}, SideFile{"-shm", "\x18\xe2\x2d\x00"sv}};

/// Next to a new database, SQLite would use files with these names, and empty or delete them.
Result<void> check_side_files(const fs::path& file) {
    std::error_code ignored;
    if (fs::exists(file, ignored) && fs::file_size(file, ignored) > 0) return {};
    for (const SideFile& side : side_files) {
        const fs::path beside = file.string() + side.ending;
        std::array<char, 8> first{};
        std::ifstream in(beside, std::ios::binary);
        in.read(first.data(), static_cast<std::streamsize>(side.begins.size()));
        const std::string_view got(first.data(), static_cast<std::size_t>(in.gcount()));
        const bool is_zero = got.find_first_not_of('\0') == std::string_view::npos;
        if (!is_zero && got != side.begins)
            return fail(Errc::refused,
                        fmt::format("{} is not a file of SQLite, which would delete it: move it elsewhere, "
                                    "or choose another store with --store",
                                    beside.string()));
    }
    return {};
}

Result<void> check_writable(const fs::path& file) {
    // SQLite keeps its log next to the file, so both directory and file must be writable.
    std::error_code ignored;
    for (const fs::path& path : {file.parent_path(), file}) {
        if (!fs::exists(path, ignored) || may(W_OK, path)) continue;
        return fail(Errc::store_failed,
                    fmt::format("{} cannot be written ({}: {}): make it and its directory writable, or choose another "
                                "store with --store",
                                file.string(), path.string(), std::generic_category().message(errno)));
    }
    return {};
}

Result<fs::path> absolute_of(const fs::path& file, const Advice& advice) {
    std::error_code failed;
    fs::path absolute = fs::absolute(file, failed).lexically_normal();
    if (failed) return fail(Errc::store_failed, fmt::format("{}: {}", file.string(), failed.message()));
    if (auto usable = check_path(absolute, advice); !usable) return fail(std::move(usable.error()));
    return absolute;
}

std::string connect_string(const fs::path& file, const char* more) {
    return fmt::format("dbname=\"{}\" timeout={}{}", file.string(), busy_time_out.count(), more);
}

Result<void> check_version(int version, const std::string& file, const Advice& advice) {
    if (version == schema_version) return {};
    return fail(Errc::bad_request, fmt::format("{} was written by another version of mediarig (schema {}, this one "
                                               "knows {}): {}",
                                               file, version, schema_version, advice.another));
}

Error empty_store(const std::string& file, const Advice& advice) {
    return {Errc::bad_request, fmt::format("{} is empty and contains no campaign: {}", file, advice.empty)};
}

/// Retries, because the switch to WAL needs brief exclusive access to the file, and SQLite's busy timeout does not
/// apply to the switch.
void switch_to_wal(soci::session& sql) {
    const auto deadline = std::chrono::steady_clock::now() + busy_time_out;
    for (;;) {
        try {
            std::string mode;
            sql << "PRAGMA journal_mode = WAL", soci::into(mode);
            if (mode == "wal") return;
            throw soci::soci_error(
                "this file system cannot hold a write-ahead log (a network share?); choose a store on "
                "a local disk with --store");
        } catch (const soci::sqlite3_soci_error& e) {
            if ((e.result() & 0xFF) != SQLITE_BUSY || std::chrono::steady_clock::now() > deadline) throw;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

} // namespace

Result<std::unique_ptr<Connection>> Connection::open(const fs::path& file) {
    return open(file, true, about_a_store);
}

Result<std::unique_ptr<Connection>> Connection::open(const fs::path& file, bool makes_tables, const Advice& advice) {
    const auto absolute = absolute_of(file, advice);
    if (!absolute) return fail(absolute.error());
    if (auto usable = check_writable(*absolute); !usable) return fail(std::move(usable.error()));
    if (auto usable = check_side_files(*absolute); !usable) return fail(std::move(usable.error()));

    std::unique_ptr<Connection> connection(new Connection(absolute->string(), advice));
    try {
        connection->sql_ = std::make_unique<soci::session>(soci::sqlite3, connect_string(*absolute, ""));
        if (auto ready = connection->set_up(makes_tables); !ready) return fail(std::move(ready.error()));
    } catch (const std::exception& e) {
        return fail(error_of("opening the store", absolute->string(), e, advice));
    }
    return connection;
}

Result<std::unique_ptr<Connection>> Connection::open_to_read(const fs::path& file, const Advice& advice) {
    const auto absolute = absolute_of(file, advice);
    if (!absolute) return fail(absolute.error());
    if (!may(R_OK, *absolute))
        return fail(
            Errc::store_failed,
            fmt::format("{} cannot be read: {}; run as a user with read permission, or name another store with --store",
                        absolute->string(), std::strerror(errno)));
    if (check_writable(*absolute)) {
        // If the disk has no space for the files that SQLite creates next to the database, treat it like a read-only
        // disk.
        auto opened = open(*absolute, false, advice);
        if (opened || opened.error().code == Errc::bad_request) return opened;
    }
    if (auto opened = open_in_place(*absolute, advice); opened || opened.error().code == Errc::bad_request)
        return opened;
    return open_copy(*absolute, advice);
}

Result<std::unique_ptr<Connection>> Connection::open_in_place(const fs::path& absolute, const Advice& advice) {
    std::unique_ptr<Connection> connection(new Connection(absolute.string(), advice));
    try {
        connection->sql_ = std::make_unique<soci::session>(soci::sqlite3, connect_string(absolute, " readonly=true"));
        const auto schema = connection->known_schema();
        if (!schema) return fail(schema.error());
        if (schema->blank()) return fail(empty_store(absolute.string(), advice));
    } catch (const std::exception& e) {
        return fail(error_of("opening the store", absolute.string(), e, advice));
    }
    return connection;
}

Result<std::unique_ptr<Connection>> Connection::open_copy(const fs::path& absolute, const Advice& advice) {
    auto copy = StoreCopy::make(absolute, advice);
    if (!copy) return fail(std::move(copy.error()));
    std::unique_ptr<Connection> connection(new Connection(absolute.string(), advice));
    try {
        connection->sql_ = std::make_unique<soci::session>(soci::sqlite3, connect_string(copy->file(), ""));
        connection->copy_.emplace(std::move(*copy));
        if (auto ready = connection->set_up(false); !ready) return fail(std::move(ready.error()));
    } catch (const std::exception& e) {
        return fail(error_of("opening the store", absolute.string(), e, advice));
    }
    return connection;
}

Result<SchemaState> Connection::known_schema() {
    auto schema = read("opening the store", [&]() -> Result<SchemaState> { return schema_state(*sql_); });
    if (!schema) return schema;
    if (schema->application != application_id && !schema->blank())
        return fail(Errc::bad_request,
                    fmt::format("{} is not a mediarig store but another program's SQLite database: {}", file_,
                                advice_.another));
    if (schema->blank()) return schema;
    if (auto known = check_version(schema->version, file_, advice_); !known) return fail(known.error());
    return schema;
}

Result<void> Connection::set_up(bool makes_tables) {
    // Do not write before the file is known to be blank or a store of mediarig.
    const auto before = known_schema();
    if (!before) return fail(before.error());

    if (before->blank() && !makes_tables) return fail(empty_store(file_, advice_));
    if (before->blank()) *sql_ << "PRAGMA page_size = 4096"; // larger pages waste more of the last page of a chunk
    switch_to_wal(*sql_);
    *sql_ << "PRAGMA synchronous = FULL"; // a commit is on the disk, not only in the kernel
    *sql_ << "PRAGMA foreign_keys = ON";
    // After a large raw log, the log file is truncated instead of keeping its peak size.
    *sql_ << "PRAGMA journal_size_limit = 16777216";
    if (!before->blank()) return {};

    return write("making the tables of the store", [&]() -> Result<void> {
        // Check again: another process may have created the schema in the meantime.
        const SchemaState now = schema_state(*sql_);
        if (!now.blank()) return check_version(now.version, file_, advice_);
        create_schema(*sql_);
        return {};
    });
}

Connection::~Connection() {
    if (sql_) (void)is_in_place();
}

Result<void> Connection::write(const std::string& doing, const std::function<Result<void>()>& body) {
    const auto gone = [&] {
        return fail(Errc::store_failed, fmt::format("{}: {} was removed, renamed or replaced while it was in use: its "
                                                    "records are lost, and recording has stopped",
                                                    doing, file_));
    };
    if (!in_transaction_ && !is_in_place()) return gone();
    // IMMEDIATE: a reader that becomes a writer could conflict with another writer and would have to start again.
    auto written = transaction(doing, "BEGIN IMMEDIATE", body);
    if (!written || in_transaction_) return written;
    const std::string exchanged = replaced_sidecar();
    if (!is_in_place()) return gone();
    if (!exchanged.empty())
        return fail(Errc::store_failed,
                    fmt::format("{}: {} was removed or replaced while it was in use: other programs can now write {} "
                                "at the same time, so recording has stopped; earlier records are kept",
                                doing, exchanged, file_));
    return written;
}

bool Connection::is_in_place() {
    if (!has_moved(*sql_)) return true;
    // The log next to the store belongs to the removed file, but SQLite would apply it to the next file that is opened
    // under this name. Therefore write the content of the log to the removed file, and empty the log. Do this only
    // once: afterwards another program may use the log.
    if (beside_.empty() || !replaced_sidecar().empty()) return false;
    beside_.clear();
    try {
        int busy = 0, pages = 0, moved = 0;
        *sql_ << "PRAGMA wal_checkpoint(TRUNCATE)", soci::into(busy), soci::into(pages), soci::into(moved);
    } catch (const std::exception&) {
        // No further remedy is possible.
    }
    return false;
}

std::string Connection::replaced_sidecar() {
    const char* const main = sqlite_api::sqlite3_db_filename(handle_of(*sql_), "main");
    if (main == nullptr) return {};
    for (const char* const ending : stay_beside_store) {
        std::string name = std::string(main) + ending;
        struct stat there {};
        const bool found = ::stat(name.c_str(), &there) == 0;
        const auto known = beside_.find(ending);
        if (known == beside_.end() && found) beside_.emplace(ending, std::pair(there.st_dev, there.st_ino));
        if (known != beside_.end() && (!found || known->second != std::pair(there.st_dev, there.st_ino))) return name;
    }
    return {};
}

Result<void> Connection::transaction(const std::string& doing, const char* begin,
                                     const std::function<Result<void>()>& body) {
    Result<void> result;
    const bool part_of_another = in_transaction_;
    bool open = false;
    try {
        if (!part_of_another) *sql_ << begin;
        open = in_transaction_ = true;
        result = body();
        if (result && !part_of_another) {
            *sql_ << "COMMIT";
            open = false;
        }
    } catch (const std::exception& e) {
        result = fail(error_of(doing, file_, e, advice_));
    }
    in_transaction_ = part_of_another;
    if (open && !part_of_another) {
        try {
            *sql_ << "ROLLBACK";
        } catch (const std::exception&) {
            // On a full disk and after some other errors SQLite has already rolled back; then no transaction is open.
        }
    }
    return result;
}

} // namespace mediarig::store
