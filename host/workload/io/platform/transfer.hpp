// SPDX-License-Identifier: GPL-3.0-or-later
/// One transfer of the measured loop. Only this file contains direct system calls without the C library.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#if defined(__linux__) && ((defined(__x86_64__) && defined(__LP64__)) || (defined(__aarch64__) && defined(__LP64__)))
#include <sys/syscall.h>
#define MEDIARIG_INLINE_SYSTEM_CALL 1
#else
#define MEDIARIG_INLINE_SYSTEM_CALL 0
#endif

namespace mediarig::workload {

/// pread or pwrite; -errno on failure. Uses the system call directly on known architectures: in threaded programs the C
/// library's wrappers do bookkeeping for thread cancellation, which costs more instructions than the rest of the loop.
template <bool writing>
[[nodiscard]] inline ssize_t transfer(int fd, std::byte* buffer, std::size_t size, std::uint64_t offset) {
#if MEDIARIG_INLINE_SYSTEM_CALL && defined(__x86_64__)
    // Calling convention of the kernel (System V ABI, AMD64 supplement, appendix A.2).
    long result = writing ? SYS_pwrite64 : SYS_pread64;
    register std::uint64_t fourth asm("r10") = offset;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(static_cast<long>(fd)), "S"(buffer), "d"(size), "r"(fourth)
                 : "rcx", "r11", "memory");
    return result;
#elif MEDIARIG_INLINE_SYSTEM_CALL && defined(__aarch64__)
    // The number is in x8, the arguments are in x0 and up, the result is in x0; all other registers are preserved
    // (syscall(2)).
    register long number asm("x8") = writing ? SYS_pwrite64 : SYS_pread64;
    register long first asm("x0") = fd;
    register std::byte* second asm("x1") = buffer;
    register std::size_t third asm("x2") = size;
    register std::uint64_t fourth asm("x3") = offset;
    asm volatile("svc #0" : "+r"(first) : "r"(number), "r"(second), "r"(third), "r"(fourth) : "memory", "cc");
    return first;
#else
    const ssize_t result = writing ? ::pwrite(fd, buffer, size, static_cast<off_t>(offset))
                                   : ::pread(fd, buffer, size, static_cast<off_t>(offset));
    return result < 0 ? -errno : result;
#endif
}

} // namespace mediarig::workload
