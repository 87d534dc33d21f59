// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/local_socket.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

using namespace mediarig;
using namespace mediarig::tests;
namespace fs = std::filesystem;

namespace {

constexpr uid_t listening_user = 61'906;

Descriptor listener_at(const fs::path& path) {
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(socket.get(), 4) == 0);
    return socket;
}

std::string opened(const fs::path& folder) {
    const auto found = open_socket_folder(folder, "use another one");
    return !found ? found.error().detail : *found ? "open" : "none";
}

} // namespace

TEST_CASE("open_socket_folder() accepts only a folder that this user alone can access, and no link") {
    const Scratch scratch;
    const std::string not_own = " is not a folder of mediarig that only this user can enter: use another one";
    CHECK(opened(scratch.path()) == "open");
    CHECK(opened(scratch / "none") == "none");
    for (const fs::perms open : {fs::perms::all, fs::perms::owner_all | fs::perms::others_exec,
                                 fs::perms::owner_all | fs::perms::group_read}) {
        fs::permissions(scratch.path(), open);
        CHECK(opened(scratch.path()) == scratch.path().string() + not_own);
    }
    fs::permissions(scratch.path(), fs::perms::owner_all);
    fs::create_directory(scratch / "folder");
    fs::permissions(scratch / "folder", fs::perms::owner_all);
    fs::create_directory_symlink(scratch / "folder", scratch / "link");
    CHECK(opened(scratch / "link") == (scratch / "link").string() + not_own);
    write(scratch / "file", "");
    CHECK(opened(scratch / "file") == (scratch / "file").string() + not_own);
    if (::geteuid() != 0) MEDIARIG_SKIP("only root gives a folder to another user");
    REQUIRE(::chown((scratch / "folder").c_str(), listening_user, listening_user) == 0);
    CHECK(opened(scratch / "folder") == (scratch / "folder").string() + not_own);
}

TEST_CASE("connect_in() connects to a process of this user") {
    const Scratch scratch;
    const auto folder = open_socket_folder(scratch.path(), "");
    REQUIRE((folder && *folder));
    const int at = (*folder)->get();
    const auto nobody = connect_in(at, "control", scratch.path());
    REQUIRE(nobody);
    CHECK_FALSE(*nobody);
    {
        const Descriptor listener = listener_at(scratch / "control");
        const auto socket = connect_in(at, "control", scratch.path());
        REQUIRE((socket && *socket));
        CHECK(peer_of((*socket)->get()).is_trusted);
        CHECK(peer_of((*socket)->get()).process == ::getpid());
    }
    // A stale socket: the process that listened has ended.
    const auto stale = connect_in(at, "control", scratch.path());
    REQUIRE(stale);
    CHECK_FALSE(*stale);
}

TEST_CASE("connect_in() refuses a name that is not a socket") {
    const Scratch scratch;
    const auto folder = open_socket_folder(scratch.path(), "");
    REQUIRE((folder && *folder));
    const int at = (*folder)->get();
    for (const std::string& name : {std::string("a/b"), std::string(".."), std::string(), std::string(200, 'x')})
        CHECK(reason(connect_in(at, name, scratch.path())) == "the name of a socket must be one short file name");
    write(scratch / "file", "x");
    CHECK(reason(connect_in(at, "file", scratch.path())) ==
          (scratch / "file").string() + " is not a socket: remove it");
    fs::create_directory(scratch / "elsewhere");
    const Descriptor listener = listener_at(scratch / "elsewhere" / "control");
    fs::create_symlink(scratch / "elsewhere" / "control", scratch / "link");
    CHECK(reason(connect_in(at, "link", scratch.path())) ==
          (scratch / "link").string() + " is not a socket: remove it");
}

TEST_CASE("connect_in() sends nothing to another user's process") {
    if (::geteuid() != 0) MEDIARIG_SKIP("only root becomes another user");
    const Scratch scratch;
    const Descriptor listener = listener_at(scratch / "control");
    fs::permissions(scratch / "control", fs::perms::all);
    fs::permissions(scratch.path(), fs::perms::all);
    // Every user trusts a listener of root. Therefore here another user listens and a third user connects.
    const pid_t child = ::fork();
    if (child == 0) {
        if (::setresuid(listening_user, listening_user, listening_user) != 0) ::_exit(77);
        ::unlink((scratch / "control").c_str());
        const Descriptor theirs = listener_at(scratch / "control");
        ::chmod((scratch / "control").c_str(), 0777);
        const pid_t client = ::fork(); // still the listener's user
        if (client == 0) ::_exit(0);
        ::waitpid(client, nullptr, 0);
        write(scratch / "ready", "");
        const int fd = ::accept4(theirs.get(), nullptr, nullptr, SOCK_CLOEXEC);
        char byte{};
        const bool heard = ::recv(fd, &byte, 1, 0) > 0;
        ::_exit(heard ? 1 : 0);
    }
    while (!fs::exists(scratch / "ready") && ::waitpid(child, nullptr, WNOHANG) == 0) ::usleep(10'000);
    const pid_t client = ::fork();
    if (client == 0) {
        const Descriptor folder(::open(scratch.path().c_str(), O_PATH | O_DIRECTORY));
        if (::setresuid(listening_user + 1, listening_user + 1, listening_user + 1) != 0) ::_exit(77);
        const auto refused = connect_in(folder.get(), "control", scratch.path());
        const bool is_refused = !refused && refused.error().code == Errc::refused &&
                                refused.error().detail.find("a process of another user (number 61906)") == 0;
        ::_exit(is_refused ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(client, &status, 0) == client);
    CHECK(status == 0);
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("remove_socket() removes sockets only") {
    const Scratch scratch;
    write(scratch / "thesis", "years of work");
    fs::create_symlink(scratch / "thesis", scratch / "link");
    { const Descriptor listener = listener_at(scratch / "control"); }
    for (const char* name : {"thesis", "link", "control", "none"}) remove_socket(scratch / name);
    CHECK(fs::exists(scratch / "thesis"));
    CHECK(fs::is_symlink(scratch / "link"));
    CHECK_FALSE(fs::exists(scratch / "control"));
}
