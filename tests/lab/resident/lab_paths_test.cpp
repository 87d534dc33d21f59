// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/lab_paths.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "host/lab/resident/lab_client.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::lab;
namespace fs = std::filesystem;

namespace {} // namespace

TEST_CASE("the lab folder comes from the environment, else the runtime folder, else /tmp") {
    ::setenv("MEDIARIG_LAB_DIR", "/run/mine", 1);
    CHECK(default_lab_place().folder == "/run/mine/mediarig-lab");
    ::unsetenv("MEDIARIG_LAB_DIR");
    const tests::Scratch runtime;
    ::setenv("XDG_RUNTIME_DIR", runtime.path().c_str(), 1);
    CHECK(default_lab_place().folder == runtime / "mediarig-resident");
    ::setenv("XDG_RUNTIME_DIR", "/nowhere", 1);
    CHECK(default_lab_place().folder == "/tmp/mediarig-resident-" + std::to_string(::geteuid()));
    ::unsetenv("XDG_RUNTIME_DIR");
}

TEST_CASE("a second lab in the same folder is refused, and the files of a killed lab are removed") {
    const tests::Scratch scratch;
    const LabPaths place{scratch / "lab"};
    CHECK_FALSE(lab_process(place));
    {
        const auto first = LabLock::begin(place);
        REQUIRE(first);
        CHECK(lab_process(place) == ::getpid());
        const auto second = LabLock::begin(place);
        REQUIRE_FALSE(second);
        CHECK(second.error().code == Errc::bad_request);
        CHECK(second.error().detail == "a lab is already running as process " + std::to_string(::getpid()) +
                                           ": use it, or stop it with 'mediarig lab stop'");
    }
    CHECK_FALSE(fs::exists(place.folder));
    CHECK(fs::is_empty(scratch.path()));

    // A child process that dies without closing the lab.
    const pid_t child = ::fork();
    if (child == 0) {
        const auto place_lock = LabLock::begin(place);
        std::ofstream(place.control()) << "left";
        std::ofstream(place.folder / "slot12.nbd") << "left";
        ::_exit(place_lock ? 0 : 1);
    }
    int status = 1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    CHECK(fs::exists(place.control()));
    CHECK_FALSE(lab_process(place));
    const auto next = LabLock::begin(place);
    REQUIRE(next);
    CHECK_FALSE(fs::exists(place.control()));
}

TEST_CASE("a folder that is accessible to others, too long or cannot be made is refused") {
    const tests::Scratch scratch;
    fs::create_directory(scratch / "open");
    REQUIRE(::chmod((scratch / "open").c_str(), 0755) == 0);
    CHECK_THAT(reason(LabLock::begin({scratch / "open"})),
               ContainsSubstring("of mediarig that only this user can enter"));
    fs::create_directory_symlink(scratch.path(), scratch / "link");
    CHECK_THAT(reason(LabLock::begin({scratch / "link"})),
               ContainsSubstring("not a folder of mediarig that only this user can enter"));
    CHECK_THAT(reason(LabLock::begin({scratch / std::string(90, 'x')})), ContainsSubstring("too long for sockets"));
    CHECK_THAT(reason(LabLock::begin({scratch / "none" / "lab"})), ContainsSubstring("cannot open"));
}

TEST_CASE("a folder that contains other files is refused and is not changed") {
    const tests::Scratch scratch;
    for (const char* name : {"thesis", "lock", "slot1.notes", "slot.nbd", "slotx.ctl"}) {
        CAPTURE(name);
        const fs::path folder = scratch / "lab";
        fs::create_directory(folder);
        fs::permissions(folder, fs::perms::owner_all);
        std::ofstream(folder / name) << "years of work";
        const auto refused = LabLock::begin({folder});
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == Errc::refused);
        CHECK(fs::file_size(folder / name) == 13);
        CHECK(std::distance(fs::directory_iterator(folder), {}) == 1);
        fs::remove_all(folder);
    }
    // A foreign file that appears while the lab runs is kept, and the next start refuses the folder.
    const LabPaths place{scratch / "lab"};
    {
        const auto running = LabLock::begin(place);
        REQUIRE(running);
        std::ofstream(place.folder / "notes") << "x";
    }
    CHECK(fs::exists(place.folder / "notes"));
    CHECK_FALSE(fs::exists(place.lock()));
    CHECK(reason(LabLock::begin(place)) ==
          place.folder.string() +
              " contains notes, which mediarig did not make: move it elsewhere, or set "
              "MEDIARIG_LAB_DIR to another folder");
}

TEST_CASE("the parent folder of the lab's folder is made if it is missing, and removed only if the lab made it") {
    const tests::Scratch scratch;
    const fs::path users = scratch / "l";
    const LabPaths place{.folder = users / "mediarig-lab", .above = users};
    { REQUIRE(LabLock::begin(place)); }
    CHECK_FALSE(fs::exists(users));
    fs::create_directory(users);
    { REQUIRE(LabLock::begin(place)); }
    CHECK(fs::is_empty(users));
    std::ofstream(users / "thesis") << "x";
    { REQUIRE(LabLock::begin(place)); }
    CHECK(std::distance(fs::directory_iterator(users), {}) == 1);
}

TEST_CASE("a lab's client sends nothing into a folder that others may enter") {
    const tests::Scratch scratch;
    const LabPaths place{scratch / "lab"};
    fs::create_directory(place.folder);
    const std::string refused =
        place.folder.string() +
        " is not a folder of mediarig that only this user can enter: set MEDIARIG_LAB_DIR to another folder";
    fs::permissions(place.folder, fs::perms::all);
    CHECK(ask_lab(place, StatusRequest{}).error() == Error{Errc::refused, refused});
    fs::remove(place.folder);
    fs::create_directory_symlink(scratch.path(), place.folder);
    CHECK(ask_lab(place, StatusRequest{}).error() == Error{Errc::refused, refused});
}

TEST_CASE("a missing lab and a starting lab are reported") {
    const tests::Scratch scratch;
    const LabPaths place{scratch / "lab"};
    const auto none = ask_lab(place, StatusRequest{});
    REQUIRE_FALSE(none);
    CHECK(none.error() == Error{Errc::rig_fault, "no lab runs: start one with 'mediarig lab start'"});
    const auto starting = LabLock::begin(place);
    REQUIRE(starting);
    CHECK(reason(ask_lab(place, StatusRequest{})) ==
          "the lab of process " + std::to_string(::getpid()) + " is starting or ending: try again in a moment");
}
