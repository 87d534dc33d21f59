// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/exiting.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

namespace mediarig::process {

bool is_exiting(int proc, pid_t process) {
    // PF_EXITING of the kernel's sched.h, a bit of field 9 of PID/stat; proc(5).
    constexpr unsigned long exiting = 0x4;
    std::array<char, 32> path{};
    std::array<char, 512> text{};
    std::snprintf(path.data(), path.size(), "%d/stat", static_cast<int>(process));
    const int file = ::openat(proc, path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t got = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    const char* const name_end = got > 0 ? std::strrchr(text.data(), ')') : nullptr;
    unsigned long flags = 0;
    return name_end != nullptr && std::sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags) == 1 &&
           (flags & exiting) != 0;
}

} // namespace mediarig::process
