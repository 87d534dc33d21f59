// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/uml_config.hpp"

#include <sstream>

namespace mediarig::lab {

std::string_view uml_config() {
    // The periodic tick (no NO_HZ) limits the clock's advance while the guest is idle; see calendar.hpp. RD_GZIP selects
    // the decompressor that apfs needs; no other option does.
    return R"(CONFIG_LOCALVERSION="-mediarig"
CONFIG_64BIT=y
CONFIG_HZ_PERIODIC=y
CONFIG_HIGH_RES_TIMERS=y
CONFIG_UML_TIME_TRAVEL_SUPPORT=y
CONFIG_STDERR_CONSOLE=y
CONFIG_SSL=y
CONFIG_NULL_CHAN=y
CONFIG_HOSTFS=y
CONFIG_PRINTK=y
CONFIG_PRINTK_TIME=y
CONFIG_BUG=y
CONFIG_TTY=y
CONFIG_UNIX98_PTYS=y
CONFIG_BINFMT_ELF=y
CONFIG_BINFMT_SCRIPT=y
CONFIG_BLK_DEV_INITRD=y
CONFIG_RD_GZIP=y
CONFIG_PROC_FS=y
CONFIG_PROC_SYSCTL=y
CONFIG_SYSCTL=y
CONFIG_SYSFS=y
CONFIG_TMPFS=y
CONFIG_SHMEM=y
CONFIG_DEVTMPFS=y
CONFIG_DEVTMPFS_MOUNT=y
CONFIG_FUTEX=y
CONFIG_EPOLL=y
CONFIG_SIGNALFD=y
CONFIG_TIMERFD=y
CONFIG_EVENTFD=y
CONFIG_AIO=y
CONFIG_IO_URING=y
CONFIG_POSIX_TIMERS=y
CONFIG_MULTIUSER=y
CONFIG_NAMESPACES=y
CONFIG_SECCOMP=y
CONFIG_SECCOMP_FILTER=y
CONFIG_FILE_LOCKING=y
CONFIG_ADVISE_SYSCALLS=y
CONFIG_MEMBARRIER=y
CONFIG_FHANDLE=y
CONFIG_INOTIFY_USER=y
CONFIG_NET=y
CONFIG_UNIX=y
CONFIG_TASKSTATS=y
CONFIG_TASK_XACCT=y
CONFIG_TASK_IO_ACCOUNTING=y
CONFIG_BLOCK=y
CONFIG_BLK_DEV=y
CONFIG_BLK_DEV_LOOP=y
CONFIG_BLK_DEV_UBLK=y
CONFIG_MQ_IOSCHED_DEADLINE=y
CONFIG_PARTITION_ADVANCED=y
CONFIG_MSDOS_PARTITION=y
CONFIG_EFI_PARTITION=y
CONFIG_EXFAT_FS=y
CONFIG_EXFAT_DEFAULT_IOCHARSET="utf8"
CONFIG_MISC_FILESYSTEMS=y
CONFIG_HFSPLUS_FS=y
CONFIG_MSDOS_FS=y
CONFIG_VFAT_FS=y
CONFIG_FAT_DEFAULT_UTF8=y
CONFIG_FAT_DEFAULT_IOCHARSET="ascii"
CONFIG_EXT4_FS=y
CONFIG_EXT4_USE_FOR_EXT2=y
CONFIG_FUSE_FS=y
CONFIG_NLS=y
CONFIG_NLS_DEFAULT="utf8"
CONFIG_NLS_UTF8=y
CONFIG_NLS_CODEPAGE_437=y
CONFIG_NLS_ISO8859_1=y
CONFIG_NLS_ASCII=y
CONFIG_LIBCRC32C=y
CONFIG_CRYPTO=y
CONFIG_CRYPTO_CRC32C=y
CONFIG_PANIC_TIMEOUT=-1
)";
}

std::vector<std::string> lost_options(std::string_view final_config) {
    const std::string text = "\n" + std::string(final_config);
    std::vector<std::string> lost;
    std::istringstream wanted{std::string(uml_config())};
    for (std::string line; std::getline(wanted, line);)
        if (text.find("\n" + line + "\n") == std::string::npos) lost.push_back(line);
    return lost;
}

std::string with_kill_at_exit(std::string source) {
    constexpr std::string_view option = "PTRACE_O_EXITKILL";
    constexpr std::string_view before = "PTRACE_O_TRACESYSGOOD)";
    if (source.find(option) != std::string::npos) return source;
    bool changed = false;
    for (std::size_t at = source.find(before); at != std::string::npos; at = source.find(before, at)) {
        // "(void *) OPTION)" becomes "(void *) (OPTION | …))": the cast binds more tightly than the operator.
        const std::string after = "(PTRACE_O_TRACESYSGOOD | " + std::string(option) + "))";
        source.replace(at, before.size(), after);
        at += after.size();
        changed = true;
    }
    return changed ? source : std::string();
}

} // namespace mediarig::lab
