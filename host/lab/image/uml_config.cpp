// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/image/uml_config.hpp"

#include <sstream>

namespace mediarig::lab {

std::string_view uml_config() {
    // NO_HZ_IDLE: an idle guest skips to its next timer in one step. RD_GZIP selects the decompressor that apfs needs;
    // no other option does.
    return R"(CONFIG_LOCALVERSION="-mediarig"
CONFIG_64BIT=y
CONFIG_NO_HZ_IDLE=y
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

std::string with_timed_lines(std::string source) {
    constexpr std::string_view handler = R"(#include <linux/time-internal.h>

static void line_timetravel_handler(int irq, int fd, void *data, struct time_travel_event *event)
{
	time_travel_add_event_rel(event, 0);
}

)";
    constexpr std::string_view request = "um_request_irq(";
    constexpr std::string_view last_argument = "_irq_name, data)";
    const std::size_t begin = source.find("int line_setup_irq(");
    const std::size_t end = source.find("\n}\n", begin);
    if (begin == std::string::npos || end == std::string::npos) return {};
    std::string function = source.substr(begin, end - begin);
    std::size_t changed = 0;
    for (std::size_t at = function.find(request); at != std::string::npos; at = function.find(request, at)) {
        function.replace(at, request.size(), "um_request_irq_tt(");
        at = function.find(last_argument, at);
        if (at == std::string::npos) return {};
        function.insert(at + last_argument.size() - 1, ", line_timetravel_handler");
        ++changed;
    }
    // One request for input and one for output.
    if (changed != 2) return {};
    return source.replace(begin, end - begin, std::string(handler) + function);
}

std::string without_throttle(std::string source) {
    std::size_t removed = 0;
    for (const std::string_view member : {"\t.throttle", "\t.unthrottle"}) {
        const std::size_t at = source.find(member);
        const std::size_t end = source.find('\n', at);
        if (at == std::string::npos || end == std::string::npos) continue;
        source.erase(at, end + 1 - at);
        ++removed;
    }
    return removed == 2 ? source : std::string();
}

} // namespace mediarig::lab
