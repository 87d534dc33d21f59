// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/run_process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "host/base/descriptor.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::process;

TEST_CASE("no child has a descriptor that was closed before wait_for_starts()") {
    const Descriptor file(::open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    REQUIRE(file);
    const std::string path = "/proc/self/fd/" + std::to_string(file.get());
    // The kernel grants a write lease only if no other process has the file open.
    const auto is_open_elsewhere = [&] {
        if (::fcntl(file.get(), F_SETLEASE, F_WRLCK) != 0) {
            REQUIRE((errno == EAGAIN || errno == EBUSY));
            return true;
        }
        ::fcntl(file.get(), F_SETLEASE, F_UNLCK);
        return false;
    };
    if (::fcntl(file.get(), F_SETLEASE, F_WRLCK) != 0)
        MEDIARIG_SKIP("no leases here: " + std::string(std::strerror(errno)));
    ::fcntl(file.get(), F_SETLEASE, F_UNLCK);

    std::atomic<bool> enough{};
    std::atomic<int> started{};
    std::vector<std::thread> starting;
    for (int i = 0; i < 4; ++i)
        starting.emplace_back([&] {
            while (!enough)
                if (run_process({.program = "true"})) ++started;
        });
    int left_open = 0;
    for (int i = 0; i < 300 || started < 50; ++i) {
        { const Descriptor moment(::open(path.c_str(), O_RDONLY | O_CLOEXEC)); }
        wait_for_starts();
        left_open += is_open_elsewhere() ? 1 : 0;
    }
    enough = true;
    for (std::thread& each : starting) each.join();
    CHECK(left_open == 0);
}
