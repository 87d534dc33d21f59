// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/open_store.hpp"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "tests/catch.hpp"
#include "tests/scratch.hpp"
#include "tests/store/database.hpp"
#include "tests/store/machine.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;
namespace fs = std::filesystem;

namespace {

/// Names of the campaigns in a store, sorted.
std::vector<std::string> campaigns_in(const fs::path& file) {
    const auto store = open_store(file);
    REQUIRE(reason(store) == "success");
    const auto campaigns = (*store)->campaigns();
    REQUIRE(reason(campaigns) == "success");
    std::vector<std::string> names;
    for (const CampaignRecord& campaign : *campaigns) names.push_back(campaign.name);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace

TEST_CASE("open_store() creates a file with the settings that the guarantees require") {
    tests::Scratch scratch;
    const auto file = scratch / "mediarig.db";
    const auto store = open_store(file);
    REQUIRE(reason(store) == "success");
    CHECK((*store)->campaigns()->empty());
    Database database(file);
    CHECK(database.one("PRAGMA application_id") == std::to_string(0x6D726967));
    CHECK(database.one("PRAGMA user_version") == "1");
    CHECK(database.one("PRAGMA journal_mode") == "wal");
    CHECK(database.one("PRAGMA page_size") == "4096");
}

TEST_CASE("a store path may be relative and may contain blanks, equals signs and single quotes") {
    tests::Scratch scratch;
    for (const char* name :
         {"two words.db", "a  b = c.db", "it's.db", "käse.db", "a;b?.db", ":memory:", "file:x?mode=ro"}) {
        CAPTURE(name);
        auto store = open_store(scratch / name);
        REQUIRE(reason(store) == "success");
        REQUIRE((*store)->begin({.id = "c", .name = name}));
        CHECK(fs::exists(scratch / name));
        store = open_store(scratch / name);
        REQUIRE(store);
        CHECK((*store)->load("c")->campaign.name == name);
    }
    const fs::path relative = fs::relative(scratch / "relative.db");
    CHECK(open_store(relative));
    CHECK(fs::exists(scratch / "relative.db"));
}

TEST_CASE("an empty file becomes a store") {
    tests::Scratch scratch;
    tests::write(scratch / "empty", "");
    CHECK(open_store(scratch / "empty"));
    CHECK(Database(scratch / "empty").one("PRAGMA user_version") == "1");
}

TEST_CASE("open_store() refuses a file that is not a store with a one-line error and does not change it") {
    tests::Scratch scratch;
    const auto path = [&](const char* name) { return (scratch / name).string(); };
    tests::write(scratch / "text", "a letter to a friend, long enough to be taken for something else\n");
    tests::write(scratch / "zeros", std::string(100'000, '\0'));
    Database(scratch / "other.db").run("CREATE TABLE friend (name TEXT); PRAGMA user_version = 1");
    Database(scratch / "foreign.db").run("CREATE TABLE t (x); PRAGMA application_id = 252006673");
    Database(scratch / "foreign_blank.db").run("PRAGMA application_id = 252006673");
    fs::create_directory(scratch / "folder");
    REQUIRE(::mkfifo(path("fifo").c_str(), 0600) == 0);

    const auto no_database = [&](const char* name) {
        return path(name) + " is not a mediarig store (not an SQLite database): choose another store with --store";
    };
    const auto foreign = [&](const char* name) {
        return path(name) +
               " is not a mediarig store but another program's SQLite database: choose another store with --store";
    };
    const std::pair<const char*, std::string> rows[] = {
        {"text", no_database("text")},
        {"zeros", no_database("zeros")},
        {"other.db", foreign("other.db")},
        {"foreign.db", foreign("foreign.db")},
        {"foreign_blank.db", foreign("foreign_blank.db")},
        {"folder",
         path("folder") + " is a directory: name a file in it with --store, such as " + path("folder/mediarig.db")},
        {"fifo", path("fifo") + " is not a regular file: choose another store with --store"},
        {"absent/x.db", "cannot make " + path("absent/x.db") + ": there is no directory " + path("absent") +
                            ": create it, or choose another store with --store"},
        {"text/x.db", "cannot make " + path("text/x.db") + ": there is no directory " + path("text") +
                          ": create it, or choose another store with --store"},
    };
    for (const auto& [name, why] : rows) {
        CAPTURE(name);
        const bool file = fs::is_regular_file(scratch / name);
        const std::string before = file ? tests::text_of(scratch / name) : "";
        const auto store = open_store(scratch / name);
        CHECK(reason(store) == why);
        CHECK((!store && store.error().code == Errc::bad_request));
        if (file) CHECK(tests::text_of(scratch / name) == before);
        CHECK_FALSE(fs::exists(path(name) + "-wal"));
    }

    const auto quoted = open_store(scratch / "a\"b.db");
    CHECK(reason(quoted) == "the path of a store may not contain a double quote: " + path("a\"b.db") +
                                ": choose another path with --store");
    CHECK(quoted.error().code == Errc::bad_request);
}

TEST_CASE("open_store() refuses a store of another version, names the version and does not change the file") {
    tests::Scratch scratch;
    const auto file = scratch / "mediarig.db";
    REQUIRE(open_store(file));
    Database(file).run("PRAGMA user_version = 9");
    const std::string before = tests::text_of(file);
    const auto store = open_store(file);
    CHECK(reason(store) == file.string() +
                               " was written by another version of mediarig (schema 9, this one knows 1): "
                               "choose another store with --store");
    CHECK(store.error().code == Errc::bad_request);
    CHECK(tests::text_of(file) == before);
}

TEST_CASE("open_store() refuses a store without write permission with a one-line error") {
    tests::Scratch scratch;
    const auto directory = scratch / "mine";
    const auto file = directory / "mediarig.db";
    fs::create_directory(directory);
    REQUIRE(open_store(file));
    const auto refused = [&](const fs::path& culprit, const fs::path& named) {
        const Unprivileged nobody;
        CHECK(reason(open_store(named)) ==
              named.string() + " cannot be written (" + culprit.string() +
                  ": Permission denied): make it and its directory writable, or choose another store with --store");
    };
    fs::permissions(scratch.path(), fs::perms(0755));
    fs::permissions(directory, fs::perms(0555));
    refused(directory, file);
    refused(directory, directory / "new.db");
    fs::permissions(directory, fs::perms(0777));
    fs::permissions(file, fs::perms(0444));
    refused(file, file);
    fs::permissions(file, fs::perms(0644));
}

TEST_CASE("a store without write permission can be read with the log of a killed process") {
    const bool killed = GENERATE(false, true);
    CAPTURE(killed);
    tests::Scratch scratch;
    const auto folder = scratch / "archive";
    const auto file = folder / "mediarig.db";
    fs::create_directory(folder);
    {
        auto store = open_store(file);
        REQUIRE(reason(store) == "success");
        for (const Call& call : scripted_campaign("c")) REQUIRE(reason(call.make(**store)) == "success");
        // The state after SIGKILL: the log was not merged into the database.
        if (killed) {
            fs::copy_file(file, folder / "copy.db");
            fs::copy_file(file.string() + "-wal", folder / "copy.db-wal");
        }
    }
    const auto read_it = killed ? folder / "copy.db" : file;
    REQUIRE(fs::exists(read_it.string() + "-wal") == killed);
    const std::string before = tests::text_of(read_it);
    fs::permissions(scratch / ".", fs::perms(0755));
    for (const auto& entry : fs::directory_iterator(folder)) fs::permissions(entry.path(), fs::perms(0444));
    fs::permissions(folder, fs::perms(0555));
    {
        const Unprivileged nobody;
        CHECK_FALSE(open_store(read_it));
        const auto store = open_store_read_only(read_it);
        REQUIRE(reason(store) == "success");
        const auto view = (*store)->load("c");
        REQUIRE(reason(view) == "success");
        CHECK_FALSE(view->devices.empty());
        CHECK((*store)->campaigns()->size() == 1);
    }
    CHECK(tests::text_of(read_it) == before);
    fs::permissions(folder, fs::perms(0755));
    for (const auto& entry : fs::directory_iterator(fs::temp_directory_path()))
        CHECK_FALSE(entry.path().filename().string().starts_with("mediarig-store-copy-"));
}

TEST_CASE("a store on a read-only file system can be read, also if that file system is full") {
    if (!enter_private_mounts()) MEDIARIG_SKIP("mounting a small disk needs root");
    tests::Scratch scratch;
    SmallDisk disk(scratch / "disk", "size=8m");
    const auto file = scratch / "disk/mediarig.db";
    {
        auto store = open_store(file);
        REQUIRE(reason(store) == "success");
        for (const Call& call : scripted_campaign("c")) REQUIRE(reason(call.make(**store)) == "success");
    }
    std::ofstream(scratch / "disk/filler") << std::string(16 << 20, 'x');
    {
        const auto store = open_store_read_only(file);
        REQUIRE(reason(store) == "success");
        CHECK(reason((*store)->load("c")) == "success");
    }
    disk.remount("size=8m", MS_RDONLY);
    const auto store = open_store_read_only(file);
    REQUIRE(reason(store) == "success");
    CHECK(reason((*store)->load("c")) == "success");
}

TEST_CASE("the error for a damaged store names the device logs with its records") {
    tests::Scratch scratch;
    const auto file = scratch / "mediarig.db";
    {
        auto store = open_store(file);
        REQUIRE(store);
        for (const Call& call : scripted_campaign("c")) REQUIRE(call.make(**store));
    }
    const auto size = fs::file_size(file);
    constexpr std::uintmax_t first_page = 4096;
    {
        std::fstream damage(file, std::ios::in | std::ios::out | std::ios::binary);
        damage.seekp(static_cast<std::streamoff>(first_page));
        for (std::uintmax_t i = first_page; i < size; ++i) damage.put('\x5a');
    }
    const auto store = open_store(file);
    const std::string why = store ? reason((*store)->load("c")) : store.error().detail;
    CHECK_THAT(why, ContainsSubstring("the store " + file.string() + " is damaged (") &&
                        ContainsSubstring("): move it away; the device logs next to the store contain every record"));
}

TEST_CASE("a write waits for another process to unlock the store") {
    tests::Scratch scratch;
    const auto file = scratch / "mediarig.db";
    auto store = open_store(file);
    REQUIRE(store);
    Database other(file);
    REQUIRE(other.run("BEGIN IMMEDIATE").empty());
    // Reading works while another process writes.
    CHECK((*store)->campaigns());
    CHECK(open_store(file));
    REQUIRE(other.run("COMMIT").empty());
    CHECK((*store)->begin({.id = "c"}));
}

TEST_CASE("after a companion file of a store was removed or replaced, the next write fails") {
    for (const std::string ending : {"-wal", "-shm", ".lock"})
        for (const bool replaced : {false, true}) {
            CAPTURE(ending, replaced);
            tests::Scratch scratch;
            const fs::path file = scratch / "r.db";
            auto store = open_store(file);
            REQUIRE(store);
            tests::write(file.string() + ".lock", "");
            REQUIRE((*store)->begin({.id = "c", .name = "before"}));
            REQUIRE((*store)->begin({.id = "d", .name = "as well"}));
            fs::rename(file.string() + ending, scratch / "moved");
            if (replaced) tests::write(file.string() + ending, "");
            const auto lost = (*store)->begin({.id = "e", .name = "after"});
            REQUIRE(!lost);
            CHECK(lost.error().code == Errc::store_failed);
            CHECK_THAT(lost.error().detail,
                       ContainsSubstring(file.string() + ending + " was removed or replaced while it was in use") &&
                           ContainsSubstring("earlier records are kept"));
            // Check the claim of the message: earlier records are kept.
            store->reset();
            const auto again = open_store(file);
            REQUIRE(reason(again) == "success");
            CHECK((*again)->load("c")->campaign.name == "before");
            CHECK((*again)->load("d")->campaign.name == "as well");
        }
}

TEST_CASE("an open store and the file that replaced it keep separate records") {
    for (const bool written_after : {false, true}) {
        CAPTURE(written_after);
        tests::Scratch scratch;
        const fs::path file = scratch / "r.db", other = scratch / "other.db", renamed = scratch / "renamed.db";
        REQUIRE((*open_store(other))->begin({.id = "o", .name = "of the other"}));
        auto store = open_store(file);
        REQUIRE(store);
        REQUIRE((*store)->begin({.id = "c", .name = "before"}));
        fs::rename(file, renamed);
        fs::rename(other, file);
        for (int i = 0; written_after && i < 2; ++i) {
            const auto lost = (*store)->begin({.id = "d", .name = "after"});
            REQUIRE(!lost);
            CHECK_THAT(lost.error().detail, ContainsSubstring("its records are lost"));
        }
        store->reset();
        CHECK(campaigns_in(file) == std::vector<std::string>{"of the other"});
        CHECK(campaigns_in(renamed) == std::vector<std::string>{"before"});
    }
}

TEST_CASE("a process that writes to the replacing file does not damage the open store") {
    tests::Scratch scratch;
    const fs::path file = scratch / "r.db", other = scratch / "other.db";
    REQUIRE((*open_store(other))->begin({.id = "o", .name = "of the other"}));
    auto store = open_store(file);
    REQUIRE(store);
    REQUIRE((*store)->begin({.id = "c", .name = "before"}));
    fs::rename(other, file);
    REQUIRE(!(*store)->begin({.id = "d", .name = "after"}));
    const pid_t writer = ::fork();
    if (writer == 0) {
        bool kept = false;
        if (const auto there = open_store(file))
            kept = (*there)->begin({.id = "p", .name = "written there"}).has_value();
        ::_exit(kept ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(writer, &status, 0) == writer);
    CHECK(status == 0);
    CHECK(!(*store)->begin({.id = "e", .name = "after"}));
    store->reset();
    CHECK(campaigns_in(file) == std::vector<std::string>{"of the other", "written there"});
}

TEST_CASE("after an open store was removed or replaced, the next write fails and does not create a new file") {
    for (const bool replaced : {false, true}) {
        CAPTURE(replaced);
        tests::Scratch scratch;
        const fs::path file = scratch / "r.db";
        auto store = open_store(file);
        REQUIRE(store);
        REQUIRE((*store)->begin({.id = "c", .name = "before"}));
        for (const char* part : {"", "-wal", "-shm"}) fs::remove(file.string() + part);
        if (replaced) tests::write(file, "something else");
        const auto lost = (*store)->begin({.id = "d", .name = "after"});
        REQUIRE(!lost);
        CHECK(lost.error().code == Errc::store_failed);
        CHECK_THAT(lost.error().detail,
                   ContainsSubstring(file.string() + " was removed, renamed or replaced while it was in use"));
        CHECK(fs::exists(file) == replaced);
    }
}
