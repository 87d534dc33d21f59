// SPDX-License-Identifier: GPL-3.0-or-later
// No process or directory outlives its owner.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "host/base/descriptor.hpp"
#include "host/base/owned_folder.hpp"
#include "host/lab/machine/bound_process.hpp"
#include "host/lab/machine/private_directory.hpp"
#include "tests/catch.hpp"
#include "tests/lab/machine/booted.hpp"

namespace mediarig::lab {
namespace {

namespace fs = std::filesystem;

int entries(const std::string& folder) {
    return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

} // namespace

TEST_CASE("bound process: output is kept, the exit status is reported, and a failed start is an error") {
    const tests::Scratch scratch;
    auto child = BoundProcess::start("/bin/sh", {"-c", "echo out; echo err >&2; exit 3"}, scratch.path("log"));
    REQUIRE(reason(child) == "success");
    CHECK(comes_true([&] { return child->ended().has_value(); }));
    CHECK(child->ended() == "exit status 3");
    CHECK(tests::text_of(scratch.path("log")) == "out\nerr\n");

    auto killed = BoundProcess::start("/bin/sleep", {"1000"}, scratch.path("log"));
    REQUIRE(reason(killed) == "success");
    CHECK(!killed->ended());
    killed->kill();
    CHECK(comes_true([&] { return killed->ended().has_value(); }));
    CHECK(killed->ended() == "signal 9 (Killed)");

    CHECK(reason(BoundProcess::start("/nowhere/qemu", {}, scratch.path("log"))) ==
          "cannot start /nowhere/qemu: No such file or directory");
    const auto forbidden = BoundProcess::start("/etc/passwd", {}, scratch.path("log"));
    REQUIRE(!forbidden.has_value());
    CHECK(forbidden.error().code == Errc::no_permission);
    CHECK_THAT(reason(BoundProcess::start("/bin/true", {}, "/nowhere/log")),
               ContainsSubstring("cannot make /nowhere/log"));
}

TEST_CASE("bound process: the process inherits no descriptor, has its own group and ends with its owner") {
    const tests::Scratch scratch;
    const int open = ::dup(0);
    pid_t pid{};
    {
        auto child = BoundProcess::start("/bin/sh", {"-c", "ls /proc/$$/fd; ps -o pgid= $$; exec sleep 1000"},
                                         scratch.path("log"));
        REQUIRE(reason(child) == "success");
        pid = child->id();
        CHECK(comes_true(
            [&] { return tests::text_of(scratch.path("log")).find(std::to_string(pid)) != std::string::npos; }));
        CHECK(tests::text_of(scratch.path("log")).rfind("0\n1\n2\n", 0) == 0);
        CHECK(::getpgid(pid) == pid);
    }
    ::close(open);
    CHECK(!lives(pid));
}

TEST_CASE("bound process: the death of the owner kills the child") {
    const tests::Scratch scratch;
    const pid_t owner = ::fork();
    REQUIRE(owner >= 0);
    if (owner == 0) {
        auto child = BoundProcess::start("/bin/sleep", {"1000"}, scratch.path("log"));
        if (child) std::ofstream(scratch.path("pid")) << child->id() << std::endl;
        ::pause();
        ::_exit(0);
    }
    CHECK(comes_true([&] { return tests::text_of(scratch.path("pid")).find('\n') != std::string::npos; }));
    const pid_t child = std::stoi(tests::text_of(scratch.path("pid")));
    CHECK(lives(child));
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
    CHECK(comes_true([&] { return !lives(child); }));
}

TEST_CASE("private directory: only its user has access, and the directory is removed with its owner") {
    const tests::Scratch scratch;
    {
        auto made = PrivateDirectory::make(scratch.path());
        REQUIRE(reason(made) == "success");
        struct stat status {};
        REQUIRE(::stat(made->path().c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0700);
        std::ofstream(made->path() + "/console.log") << "text";
        // The directory of a second machine leaves the directory of the first machine unchanged.
        const auto second = PrivateDirectory::make(scratch.path());
        REQUIRE(reason(second) == "success");
        CHECK(fs::exists(made->path() + "/console.log"));
        CHECK(entries(scratch.path()) == 2);
        const PrivateDirectory moved = std::move(*made);
        CHECK(fs::exists(moved.path()));
    }
    CHECK(entries(scratch.path()) == 0);
}

TEST_CASE("private directory: the next owner removes only the directories of killed owners") {
    const tests::Scratch scratch;
    fs::create_directory(scratch.path("mediarig-lab-dead00"));
    std::ofstream(scratch.path("mediarig-lab-dead00/lock")).flush();
    std::ofstream(scratch.path("mediarig-lab-dead00/qmp")).flush();
    const Descriptor dead(::open(scratch.path("mediarig-lab-dead00").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(reason(mark_folder(dead.get(), scratch.path("mediarig-lab-dead00"))) == "success");
    fs::create_directory(scratch.path("mediarig-lab-foreign"));
    std::ofstream(scratch.path("mediarig-lab-foreign/lock")).flush();
    fs::create_directory(scratch.path("mediarig-lab-nolock"));
    fs::create_directory(scratch.path("somebody-else"));
    std::ofstream(scratch.path("somebody-else/lock")).flush();
    fs::create_directory_symlink(scratch.path("somebody-else"), scratch.path("mediarig-lab-link00"));
    { const auto made = PrivateDirectory::make(scratch.path()); }
    CHECK(!fs::exists(scratch.path("mediarig-lab-dead00")));
    CHECK(fs::exists(scratch.path("mediarig-lab-foreign/lock")));
    CHECK(fs::exists(scratch.path("mediarig-lab-nolock")));
    CHECK(fs::exists(scratch.path("somebody-else/lock")));
    CHECK(fs::exists(scratch.path("mediarig-lab-link00/lock")));
}

TEST_CASE("private directory: a failure is reported in one line") {
    const auto missing = PrivateDirectory::make("/nowhere");
    CHECK(reason(missing) == "cannot make a folder in /nowhere: No such file or directory");
    const auto too_long = PrivateDirectory::make("/tmp/" + std::string(80, 'x'));
    REQUIRE(!too_long.has_value());
    CHECK(too_long.error().code == Errc::bad_request);
    CHECK_THAT(reason(too_long), ContainsSubstring("too long for sockets, whose paths have at most 107 bytes"));
}

} // namespace mediarig::lab
