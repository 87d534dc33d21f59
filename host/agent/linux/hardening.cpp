// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/linux/hardening.hpp"

#include <linux/capability.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

namespace mediarig::agent {
namespace {

constexpr KeptCapability capabilities[] = {
    {CAP_SYS_ADMIN, "CAP_SYS_ADMIN", false, "mount and unmount, attach FUSE drivers, drop the cache of a block device"},
    {CAP_SYS_CHROOT, "CAP_SYS_CHROOT", false, "start a FUSE driver in the first mount namespace of the agent"},
    {CAP_SYS_PTRACE, "CAP_SYS_PTRACE", false, "see the mounts and open files of other users' processes"},
    {CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH", false, "find the users of a medium: swap files, layers of an overlay"},
    {CAP_LEASE, "CAP_LEASE", false, "check if another user's file is in use"},
    {CAP_SETUID, "CAP_SETUID", false, "work with the rights of the caller"},
    {CAP_SETGID, "CAP_SETGID", false, "work with the rights of the caller"},
    {CAP_SYS_RAWIO, "CAP_SYS_RAWIO", false, "commands for the health of a disk (smartctl) or a card"},
    {CAP_IPC_LOCK, "CAP_IPC_LOCK", false, "register buffers with io_uring beyond RLIMIT_MEMLOCK"},
    {CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE", true, "images and folders named by root and owned by other users"},
};

constexpr std::string_view system_calls[] = {
    // These calls load another kernel, or code into the kernel.
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "bpf",
    // These calls access other processes; reading the list of their open files needs no such call. kcmp stays
    // available: it reports which threads of a process have a separate descriptor table.
    "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "move_pages", "migrate_pages",
#ifndef __SANITIZE_ADDRESS__ // the leak check of the sanitizer traces the process at exit
    "ptrace",
#endif
    "perf_event_open", "userfaultfd",
    // These calls access keys of the calling user.
    "keyctl", "add_key", "request_key",
    // These calls change settings of the machine.
    "reboot", "swapon", "swapoff", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname",
    "setdomainname", "acct", "quotactl", "quotactl_fd", "nfsservctl", "iopl", "ioperm", "syslog", "vhangup",
    // These calls access files by handle and outside the visible folders.
    "open_by_handle_at", "pivot_root", "fanotify_init", "uselib", "lookup_dcookie"};

auto failure(const char* what, int cause) {
    return fail(Errc::io_failed, std::string("cannot drop ") + what + ": " + std::strerror(cause));
}

Result<void> refuse_system_calls() {
    const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(::seccomp_init(SCMP_ACT_ALLOW), ::seccomp_release);
    if (!filter) return failure("system calls", ENOMEM);
    for (const std::string_view name : system_calls) {
        const int number = ::seccomp_syscall_resolve_name(std::string(name).c_str());
        // Some architectures lack a call, or the library does not know its name.
        if (number == __NR_SCMP_ERROR || number < 0) continue;
        if (const int failed = ::seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), number, 0); failed != 0)
            return failure("system calls", -failed);
    }
    // Without this attribute, libseccomp reports every kernel error as ECANCELED.
    if (const int failed = ::seccomp_attr_set(filter.get(), SCMP_FLTATR_API_SYSRAWRC, 1); failed != 0)
        return failure("system calls", -failed);
    // A kernel without filters is acceptable; a failure of an existing filter is an error.
    const int failed = ::seccomp_load(filter.get());
    if (failed != 0 && failed != -EINVAL && failed != -ENOSYS) return failure("system calls", -failed);
    return {};
}

} // namespace

std::span<const KeptCapability> kept_capabilities() {
    return capabilities;
}

std::span<const std::string_view> refused_system_calls() {
    return system_calls;
}

Result<void> drop_privileges(const process::Caller& caller) {
    ::umask(077);
    process::Capabilities kept{};
    for (const KeptCapability& each : capabilities)
        if (caller.is_root() || !each.for_root_alone) kept |= process::capability(each.number);
    if (auto done = process::keep_capabilities(kept); !done) return done;
    if (auto done = refuse_system_calls(); !done) return done;
    // An agent without privilege may be traced by its own user.
    if (::geteuid() == 0 && ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return failure("being traced", errno);
    return {};
}

} // namespace mediarig::agent
