// SPDX-License-Identifier: GPL-3.0-or-later
/// This process answers mount(2) of real programs.
#include "host/base/process/mount_request.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "host/base/process/mount_namespace.hpp"
#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::process;

namespace {

using Answer = std::function<void(int listener, const MountRequest&)>;

/// Runs a script in an empty sandbox; another thread answers each mount of the script with `answer`.
Finished run_with(const std::string& script, const Answer& answer) {
    std::promise<Descriptor> listener;
    std::thread answering([&, own = listener.get_future()]() mutable {
        const Descriptor listening = own.get();
        pollfd waiting{listening.get(), POLLIN, 0};
        // The listener reports a hang-up when the last process has ended.
        while (::poll(&waiting, 1, -1) == 1 && (waiting.revents & POLLIN) != 0)
            if (const auto asked = receive_mount(listening.get())) answer(listening.get(), *asked);
    });
    const auto finished = run_process(
        {.program = "sh", .arguments = {"-c", script}, .sandbox = Sandbox{}, .answer_mounts = [&](Descriptor given) {
             listener.set_value(std::move(given));
         }});
    answering.join();
    REQUIRE(reason(finished) == "success");
    return *finished;
}

const std::string mount_tmpfs = "mount -i -t tmpfs -o ro,size=64k nothing /mnt";

} // namespace

TEST_CASE("mount(2) of a program without rights returns the answer of this process") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root: mount(8) refuses other users");
    for (const int error : {0, EIO}) {
        CAPTURE(error);
        std::optional<MountRequest> asked;
        const Finished finished = run_with(mount_tmpfs, [&](int listener, const MountRequest& request) {
            asked = request;
            CHECK(answer_mount(listener, request, error));
        });
        CAPTURE(finished.err);
        CHECK(finished.succeeded() == (error == 0));
        REQUIRE(asked);
        CHECK(asked->options == "size=64k");
        CHECK((asked->flags & 1) == 1); // MS_RDONLY
        CHECK(asked->process > 0);
    }
}

TEST_CASE("mount(2) fails when the listener is closed") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root: mount(8) refuses other users");
    const auto finished = run_process(
        {.program = "sh", .arguments = {"-c", mount_tmpfs}, .sandbox = Sandbox{}, .answer_mounts = [](Descriptor) {}});
    REQUIRE(reason(finished) == "success");
    CHECK_FALSE(finished->succeeded());
    CHECK_THAT(finished->err, ContainsSubstring("not implemented"));
}

TEST_CASE("a descriptor of the blocked process is replaced with a descriptor of this process") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root: mount(8) refuses other users");
    std::string path = (std::filesystem::temp_directory_path() / "mediarig-descriptor-XXXXXX").string();
    const Descriptor ours(::mkostemp(path.data(), O_CLOEXEC));
    REQUIRE(ours);
    // mount(8) writes its later messages to the replaced descriptor.
    (void)run_with("exec " + mount_tmpfs, [&](int listener, const MountRequest& request) {
        CHECK(replace_descriptor(listener, request, ours.get(), 2));
        CHECK(answer_mount(listener, request, EIO));
    });
    CHECK(std::filesystem::file_size(path) > 0);
    std::filesystem::remove(path);
}

TEST_CASE("answer_mount() returns false for a process that has ended") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root: mount(8) refuses other users");
    bool told = true;
    (void)run_with(mount_tmpfs, [&](int listener, const MountRequest& request) {
        REQUIRE(::kill(request.process, SIGKILL) == 0);
        // answer_mount() succeeds until the process has left the call.
        pollfd waiting{listener, POLLIN, 0};
        while (::poll(&waiting, 1, 10) == 0 && (told = replace_descriptor(listener, request, listener, 9))) {
        }
        told = answer_mount(listener, request, 0);
    });
    CHECK_FALSE(told);
}

TEST_CASE("a program whose mounts are answered starts outside of the private mount namespace") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    struct stat before {};
    REQUIRE(::stat("/proc/self/ns/mnt", &before) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        if (!enter_private_mount_namespace()) ::_exit(2);
        const auto namespace_with = [](std::function<void(Descriptor)> answer) {
            const auto finished = run_process({.program = "stat",
                                               .arguments = {"-L", "-c", "%i", "/proc/self/ns/mnt"},
                                               .sandbox = Sandbox{},
                                               .answer_mounts = std::move(answer)});
            return finished ? std::stoull(finished->out) : 0;
        };
        struct stat within {};
        ::stat("/proc/self/ns/mnt", &within);
        const bool right = within.st_ino != before.st_ino && namespace_with({}) == within.st_ino &&
                           namespace_with([](Descriptor) {}) == before.st_ino;
        struct stat after {};
        ::stat("/proc/self/ns/mnt", &after);
        ::_exit(right && after.st_ino == within.st_ino ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}
