// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the rights of programs in a sandbox, with real programs on the real kernel.
#include "host/base/process/sandbox.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "host/base/descriptor.hpp"
#include "host/base/process/caller.hpp"
#include "host/base/process/run_process.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::process;
namespace fs = std::filesystem;

namespace {

constexpr Sandbox only_the_medium{.capabilities = 0, .only_inherited_files = true};

bool has_landlock() {
    return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) >= 1;
}

/// Output and exit status of `sh -c`.
Finished shell_in(const std::string& script, std::optional<Sandbox> sandbox,
                  std::vector<InheritedDescriptor> inherit = {}) {
    const auto finished = run_process(
        {.program = "sh", .arguments = {"-c", script}, .inherit = std::move(inherit), .sandbox = std::move(sandbox)});
    REQUIRE(reason(finished) == "success");
    return *finished;
}

std::string capabilities_of(const std::string& status) {
    std::string sets;
    for (const char* name : {"CapInh:", "CapPrm:", "CapEff:", "CapAmb:"}) {
        const std::size_t at = status.find(name);
        REQUIRE(at != std::string::npos);
        sets += status.substr(at + 8, 16) + " ";
    }
    return sets;
}

} // namespace

TEST_CASE("a sandboxed program has only the given capabilities and cannot gain any") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const std::string before = tests::text_of("/proc/thread-self/status");
    const std::string none = shell_in("cat /proc/self/status", Sandbox{}).out;
    CHECK(capabilities_of(none) == "0000000000000000 0000000000000000 0000000000000000 0000000000000000 ");
    CHECK_THAT(none, ContainsSubstring("NoNewPrivs:\t1"));
    const std::string some = shell_in("cat /proc/self/status", Sandbox{.capabilities = capability(CAP_SYS_ADMIN)}).out;
    CHECK(capabilities_of(some) == "0000000000000000 0000000000200000 0000000000200000 0000000000000000 ");
    // The rights of the starting process are unchanged.
    const std::string after = tests::text_of("/proc/thread-self/status");
    CHECK(capabilities_of(after) == capabilities_of(before));
    CHECK_THAT(after, ContainsSubstring("NoNewPrivs:\t0"));
    CHECK(capabilities_of(shell_in("cat /proc/self/status", std::nullopt).out) == capabilities_of(before));
}

TEST_CASE("a sandboxed program can access only the given file") {
    if (!has_landlock()) MEDIARIG_SKIP("the kernel has no Landlock");
    const tests::Scratch folder;
    const std::string given = folder.write("given", "given");
    const std::string other = folder.write("other", "other");
    const Descriptor descriptor(::open(given.c_str(), O_RDWR | O_CLOEXEC));
    const std::vector<InheritedDescriptor> inherit{{.ours = descriptor.get(), .childs = 3}};

    CHECK(shell_in("echo written > /proc/self/fd/3", only_the_medium, inherit).succeeded());
    CHECK(tests::text_of(given) == "written\n");
    CHECK(shell_in("cat /proc/self/fd/3 /dev/null", only_the_medium, inherit).out == "written\n");
    for (const std::string& refused :
         {"cat " + other, "echo x > " + other, "echo x >> " + other, "rm " + other, "ln " + other + " " + other + "2",
          "mv " + other + " " + other + "2", ": > " + folder.path("new"), "mkdir " + folder.path("sub"),
          "chmod 4755 " + folder.path("") + " && mount -t tmpfs tmpfs " + folder.path(""),
          std::string("kill -0 $PPID")}) {
        CAPTURE(refused);
        if (refused.starts_with("kill") && ::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) < 6) continue;
        CHECK_FALSE(shell_in(refused, only_the_medium, inherit).succeeded());
    }
    CHECK(tests::text_of(other) == "other");
    CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
    // Without the sandbox the same command succeeds, so the sandbox caused the refusal.
    CHECK(shell_in("cat " + other, std::nullopt).out == "other");
}

TEST_CASE("a program outside the usual folders starts in a sandbox") {
    const tests::Scratch folder;
    const std::string program = folder.write("tool", "#!/bin/sh\necho started\n");
    REQUIRE(::chmod(program.c_str(), 0755) == 0);
    const auto finished = run_process({.program = program, .sandbox = only_the_medium});
    REQUIRE(reason(finished) == "success");
    CHECK(finished->out == "started\n");
}

TEST_CASE("no program starts while a thread has taken the rights of the calling user") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const auto rights = CallerRights::of({.user = 61001, .group = 61002, .groups = {}});
    REQUIRE(reason(rights) == "success");
    CHECK(reason(run_process({.program = "true"})) ==
          "true was not started: this thread has temporarily taken the rights of the calling user");
}
