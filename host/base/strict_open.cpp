// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/strict_open.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace mediarig {

int open_strictly(int directory, const char* path, int flags, std::uint64_t resolve) {
    open_how how{};
    how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
    how.resolve = resolve;
    for (int attempt = 0;; ++attempt) {
        const long fd = ::syscall(SYS_openat2, directory, path, &how, sizeof(how));
        // Linux before 5.6 and valgrind lack openat2(2). O_NOFOLLOW at least rejects a link as the last component.
        if (fd < 0 && errno == ENOSYS) return ::openat(directory, path, flags | O_NOFOLLOW | O_CLOEXEC);
        // openat2(2) returns EAGAIN if a rename anywhere on the machine coincided with a path walk that must not leave
        // its folder.
        if (fd >= 0 || errno != EAGAIN || attempt == 100) return static_cast<int>(fd);
    }
}

int open_beneath(int parent, const std::string& path) {
    return open_strictly(parent, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
                         RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
}

} // namespace mediarig
