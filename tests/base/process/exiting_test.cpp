// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/exiting.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/base/descriptor.hpp"
#include "tests/catch.hpp"

using namespace mediarig;

TEST_CASE("is_exiting() is true for a zombie process and false for a running or unknown process") {
    const Descriptor proc(::open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
    REQUIRE(proc);
    CHECK_FALSE(process::is_exiting(proc.get(), ::getpid()));
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    REQUIRE(child > 0);
    siginfo_t ended{};
    REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
    CHECK(process::is_exiting(proc.get(), child));
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK_FALSE(process::is_exiting(proc.get(), child));
    CHECK_FALSE(process::is_exiting(-1, ::getpid()));
}
