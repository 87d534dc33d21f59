// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/owned_folder.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/base/temporary_folder.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::tests;
namespace fs = std::filesystem;

namespace {

const FolderRule rule{.is_own = [](std::string_view name) { return name == "lock" || name.starts_with("slot"); },
                      .next_step = "set PLACE to another folder"};

void make_marked(const fs::path& folder) {
    REQUIRE(OwnedFolder::make(folder, {.is_own = {}, .next_step = ""}));
}

constexpr uid_t other_user = 61'905;

/// Runs `work` in a separate mount namespace. Exit status 0: success; 77: this machine allows no mounts.
int apart(const std::function<int()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
            ::_exit(77);
        ::_exit(work());
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_CASE("make() makes a private marked folder, and opens it again") {
    const Scratch scratch;
    const fs::path folder = scratch / "lab";
    REQUIRE(OwnedFolder::make(folder, rule));
    CHECK(is_marked(folder));
    CHECK((fs::status(folder).permissions() & fs::perms::all) == fs::perms::owner_all);
    write(folder / "lock", "1");
    CHECK(OwnedFolder::make(folder, rule));
    // The state after a process was killed between making the folder and marking it.
    fs::create_directory(scratch / "empty");
    fs::permissions(scratch / "empty", fs::perms::owner_all);
    CHECK(OwnedFolder::make(scratch / "empty", rule));
    fs::create_directory(scratch / "half");
    fs::permissions(scratch / "half", fs::perms::owner_all);
    write(scratch / "half" / std::string(folder_mark), "");
    CHECK(OwnedFolder::make(scratch / "half", rule));
    CHECK(is_marked(scratch / "half"));
}

TEST_CASE("make() refuses a folder with foreign contents and changes nothing in it") {
    const Scratch scratch;
    const fs::path folder = scratch / "private";
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::owner_all);
    write(folder / "thesis", "years of work");
    const auto refused = OwnedFolder::make(folder, rule);
    REQUIRE_FALSE(refused);
    CHECK(refused.error() ==
          Error{Errc::refused, folder.string() + " contains thesis, which mediarig did not make: move "
                                                 "it elsewhere, or set PLACE to another folder"});
    CHECK(text_of(folder / "thesis") == "years of work");
    CHECK_FALSE(fs::exists(folder / std::string(folder_mark)));

    // A folder without a mark is refused even if all its names could be mediarig's.
    fs::rename(folder / "thesis", folder / "lock");
    CHECK(reason(OwnedFolder::make(folder, rule)) ==
          folder.string() +
              " is not empty and was not made by mediarig: move it elsewhere, or set PLACE to another folder");
    // may_adopt accepts such a folder and keeps its files, but not if it contains a foreign name.
    FolderRule adopting = rule;
    adopting.may_adopt = true;
    CHECK(OwnedFolder::make(folder, adopting));
    CHECK(text_of(folder / "lock") == "years of work");
    write(folder / "thesis", "years of work");
    CHECK_FALSE(OwnedFolder::make(folder, adopting));
}

TEST_CASE("make() refuses links, files, and folders or parents that every user may write") {
    const Scratch scratch;
    const std::string not_own = "is not a folder of mediarig that only this user can enter";
    fs::create_directory(scratch / "target");
    fs::permissions(scratch / "target", fs::perms::owner_all);
    fs::create_directory_symlink(scratch / "target", scratch / "link");
    CHECK_THAT(reason(OwnedFolder::make(scratch / "link", rule)), ContainsSubstring(not_own));
    CHECK(fs::is_empty(scratch / "target"));
    write(scratch / "file", "x");
    CHECK_THAT(reason(OwnedFolder::make(scratch / "file", rule)), ContainsSubstring(not_own));
    fs::create_directory(scratch / "open");
    fs::permissions(scratch / "open", fs::perms::owner_all | fs::perms::group_exec);
    CHECK_THAT(reason(OwnedFolder::make(scratch / "open", rule)), ContainsSubstring(not_own));
    fs::create_directory(scratch / "shared");
    fs::permissions(scratch / "shared", fs::perms::all);
    CHECK_THAT(reason(OwnedFolder::make(scratch / "shared" / "lab", rule)), ContainsSubstring("every user may rename"));
    CHECK(fs::is_empty(scratch / "shared"));
    CHECK_FALSE(OwnedFolder::make("/", rule));
    CHECK_FALSE(OwnedFolder::make(scratch / "target" / "..", rule));
    CHECK(reason(OwnedFolder::make(scratch / "none" / "lab", rule)).starts_with("cannot open"));
}

TEST_CASE("remove_owned_tree() removes a marked folder with its contents") {
    const Scratch scratch;
    const fs::path folder = scratch / "work";
    make_marked(folder);
    fs::create_directories(folder / "a/b/c");
    write(folder / "a/b/file", "x");
    write(scratch / "kept", "x");
    fs::create_symlink(scratch / "kept", folder / "a/link");
    fs::create_directory(scratch / "kept folder");
    write(scratch / "kept folder" / "file", "x");
    fs::create_directory_symlink(scratch / "kept folder", folder / "a/folder link");
    CHECK(reason(remove_owned_tree(folder)) == "success");
    CHECK_FALSE(fs::exists(folder));
    CHECK(fs::exists(scratch / "kept"));
    CHECK(fs::exists(scratch / "kept folder" / "file"));
    CHECK(remove_owned_tree(folder)); // the folder no longer exists
}

TEST_CASE("remove_owned_tree() keeps files that mediarig did not make") {
    const Scratch scratch;
    const fs::path plain = scratch / "plain";
    fs::create_directory(plain);
    write(plain / "file", "x");
    CHECK(reason(remove_owned_tree(plain)) == plain.string() + " was not removed: mediarig did not make it");
    // A similar mark does not count, nor does a link, a folder or another user's file with the mark's name.
    const fs::path mark = plain / std::string(folder_mark);
    write(mark, "my notes on mediarig\n");
    CHECK_FALSE(remove_owned_tree(plain));
    fs::remove(mark);
    make_marked(scratch / "marked");
    fs::create_symlink(scratch / "marked" / std::string(folder_mark), mark);
    CHECK_FALSE(remove_owned_tree(plain));
    fs::remove(mark);
    fs::create_directory(mark);
    CHECK_FALSE(remove_owned_tree(plain));
    CHECK(fs::exists(plain / "file"));
    // A link to a marked folder belongs to the user and is kept.
    fs::create_directory_symlink(scratch / "marked", scratch / "link");
    CHECK_FALSE(remove_owned_tree(scratch / "link"));
    CHECK(is_marked(scratch / "marked"));
    // If foreign files are next to own files, only the own files are removed and the folder stays marked.
    write(scratch / "marked" / "slot1.card", "x");
    write(scratch / "marked" / "notes", "x");
    CHECK(reason(remove_owned_tree(scratch / "marked", rule.is_own)) ==
          (scratch / "marked").string() + " was not removed: mediarig did not make notes in it");
    CHECK(fs::exists(scratch / "marked" / "notes"));
    CHECK_FALSE(fs::exists(scratch / "marked" / "slot1.card"));
    CHECK(is_marked(scratch / "marked"));
    remove_owned_if_empty(scratch / "marked");
    CHECK(fs::exists(scratch / "marked" / "notes"));
    fs::remove(scratch / "marked" / "notes");
    remove_owned_if_empty(scratch / "marked");
    CHECK_FALSE(fs::exists(scratch / "marked"));
}

TEST_CASE("remove_owned_tree() keeps files of other users and mounted file systems") {
    if (::geteuid() != 0) MEDIARIG_SKIP("only root gives files to others and mounts");
    const Scratch scratch;
    const fs::path folder = scratch / "work";
    make_marked(folder);
    write(folder / "theirs", "x");
    REQUIRE(::lchown((folder / "theirs").c_str(), other_user, other_user) == 0);
    CHECK(reason(remove_owned_tree(folder)) == (folder / "theirs").string() + " was not removed: another user owns it");
    CHECK(fs::exists(folder / "theirs"));
    CHECK(reason(remove_given_tree(folder, other_user + 1)) == reason(remove_owned_tree(folder)));
    CHECK(reason(remove_given_tree(folder, other_user)) == "success");

    make_marked(folder);
    fs::create_directories(folder / "in/mounted");
    fs::create_directory(scratch / "elsewhere");
    write(scratch / "elsewhere" / "file", "x");
    const int status = apart([&] {
        // A bind mount of the same file system has the same device number.
        if (::mount((scratch / "elsewhere").c_str(), (folder / "in/mounted").c_str(), nullptr, MS_BIND, nullptr) != 0)
            return 77;
        const auto removed = remove_owned_tree(folder);
        const bool stays =
            !removed && removed.error().detail.find("a file system is mounted there") != std::string::npos;
        return stays && is_marked(folder) ? 0 : 1;
    });
    if (status != 77) CHECK(status == 0);
    CHECK(fs::exists(scratch / "elsewhere" / "file"));
}

TEST_CASE("remove_owned_tree() refuses a folder that is nested too deeply") {
    const Scratch scratch;
    const fs::path folder = scratch / "work";
    make_marked(folder);
    Descriptor at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY));
    for (int i = 0; i < 300; ++i) {
        REQUIRE(::mkdirat(at.get(), "d", 0700) == 0);
        at = Descriptor(::openat(at.get(), "d", O_RDONLY | O_DIRECTORY));
    }
    CHECK_THAT(reason(remove_owned_tree(folder)), ContainsSubstring("nested too deeply"));
    CHECK(is_marked(folder));
}

TEST_CASE("a temporary folder removes itself, but not another folder that replaced it") {
    const Scratch scratch;
    fs::path path;
    {
        const auto folder = TemporaryFolder::make(scratch.path(), "mediarig-test-");
        REQUIRE(folder);
        path = folder->path();
        write(path / "file", "x");
    }
    CHECK_FALSE(fs::exists(path));
    {
        const auto folder = TemporaryFolder::make(scratch.path(), "mediarig-test-");
        REQUIRE(folder);
        path = folder->path();
        fs::rename(path, scratch / "moved");
        fs::create_directory(path);
        write(path / "file", "x");
    }
    CHECK(fs::exists(path / "file"));
}
