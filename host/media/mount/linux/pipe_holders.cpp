// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/mount/linux/pipe_holders.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace mediarig::media {
namespace {

/// Layout as in getdents64(2).
struct DirectoryEntry {
    std::uint64_t inode;
    std::int64_t next;
    std::uint16_t length;
    std::uint8_t type;
    char name[1];
};

/// Writes a number as text; returns the end of the text.
char* put_number(char* to, unsigned long value) {
    std::array<char, 24> digits{};
    std::size_t count = 0;
    do digits[count++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    while (count > 0) *to++ = digits[--count];
    return to;
}

char* put_text(char* to, const char* text) {
    while (*text != '\0') *to++ = *text++;
    return to;
}

bool holds(int proc, const char* process, ino_t pipe, int number) {
    std::array<char, 64> link{};
    *put_number(put_text(put_text(link.data(), process), "/fd/"), static_cast<unsigned long>(number)) = '\0';
    struct stat status {};
    // The read end of this process is not writable, so a writable descriptor is the write end.
    if (::fstatat(proc, link.data(), &status, AT_SYMLINK_NOFOLLOW) != 0 || (status.st_mode & S_IWUSR) == 0)
        return false;
    std::array<char, 64> wanted{}, target{};
    *put_text(put_number(put_text(wanted.data(), "pipe:["), pipe), "]") = '\0';
    const ssize_t length = ::readlinkat(proc, link.data(), target.data(), target.size() - 1);
    return length > 0 && std::strcmp(target.data(), wanted.data()) == 0;
}

/// Calls `found` with a pidfd of each holder. `found` owns the descriptor and returns true to continue.
template <class Found>
void for_each_holder(int proc, ino_t pipe, int number, Found found) {
    // Open the directory again: a process that shares `proc` would also share its read position.
    const int processes = ::openat(proc, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    alignas(DirectoryEntry) std::array<char, 16384> listing{};
    while (processes >= 0) {
        const long got = ::syscall(SYS_getdents64, processes, listing.data(), listing.size());
        if (got <= 0) break;
        for (long at = 0; at < got;) {
            const auto* entry = reinterpret_cast<const DirectoryEntry*>(listing.data() + at);
            at += entry->length;
            if (entry->name[0] < '1' || entry->name[0] > '9' || std::strlen(entry->name) > 10) continue;
            if (!holds(proc, entry->name, pipe, number)) continue;
            const int process = static_cast<int>(::syscall(SYS_pidfd_open, std::atoi(entry->name), 0));
            if (process < 0) continue;
            // The process number may have been reused.
            if (!holds(proc, entry->name, pipe, number))
                ::close(process);
            else if (!found(process)) {
                ::close(processes);
                return;
            }
        }
    }
    if (processes >= 0) ::close(processes);
}

} // namespace

int open_proc() {
    return ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int open_pipe_holder(int proc, ino_t pipe, int number) {
    int holder = -1;
    for_each_holder(proc, pipe, number, [&](int process) {
        holder = process;
        return false;
    });
    return holder;
}

void kill_pipe_holders(int proc, ino_t pipe, int number) {
    for_each_holder(proc, pipe, number, [](int process) {
        ::syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
        ::close(process);
        return true;
    });
}

} // namespace mediarig::media
