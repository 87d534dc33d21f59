// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/process_search.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"

namespace mediarig::media {
namespace {

std::chrono::nanoseconds processor_time() {
    struct timespec now {};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// Not an error: processes may end during the search.
bool has_ended(int error) {
    return error == ENOENT || error == ESRCH;
}

/// "/proc/812" and the directories of the threads whose descriptors "/proc/812/fd" does not list, because they have
/// their own descriptor table (CLONE_FILES undone). If the first thread has ended, its directory is empty, so a living
/// thread represents those that share its table. Without kcmp(2) each thread is treated as separate.
std::vector<std::string> tables_of(const std::string& pid) {
    const std::string process = "/proc/" + pid;
    std::vector<std::string> tables{process};
    const auto threads = names_in(process + "/task");
    if (!threads || !*threads || (*threads)->size() < 2) return tables;
    const bool ended = text_attribute(process + "/stat").find(") Z ") != std::string::npos;
    const auto number = [](const std::string& text) { return std::atoi(text.c_str()); };
    std::vector<std::string> seen;
    if (ended)
        tables.clear();
    else
        seen.push_back(pid);
    for (const std::string& thread : **threads) {
        if (thread == pid) continue;
        bool known = false;
        for (const std::string& other : seen) {
            known = known || ::syscall(SYS_kcmp, number(other), number(thread), KCMP_FILES, 0UL, 0UL) == 0;
        }
        if (known) continue;
        seen.push_back(thread);
        tables.push_back(process + "/task/" + thread);
    }
    return tables;
}

} // namespace

ProcessSearch::ProcessSearch(std::chrono::nanoseconds most) : until_(processor_time() + most) {}

bool ProcessSearch::is_over() const {
    return processor_time() > until_;
}

std::string ProcessSearch::missed() const {
    return missed_.empty() && is_over() ? "there are too many processes to examine each" : missed_;
}

void ProcessSearch::record_unreadable(const std::string& path, int error) {
    // Some machines hide process 1 even from root. It uses no images, so ignore it: otherwise no medium could be
    // claimed on such a machine.
    if (path.starts_with("/proc/1/")) return;
    if (missed_.empty()) missed_ = fmt::format("{} cannot be read ({})", path, std::strerror(error));
}

bool shows_all_processes() {
    // PROC_PID_INIT_INO of the kernel. In any other PID namespace most processes are not visible.
    constexpr ino_t initial_namespace = 0xEFFFFFFC;
    struct stat space {};
    // A kernel without PID namespaces, for example in a small virtual machine, does not have this file.
    return ::stat("/proc/self/ns/pid", &space) == 0 ? space.st_ino == initial_namespace : errno == ENOENT;
}

// Read in chunks: a process may have tens of thousands of mappings.
bool any_line_of(const std::string& path, ProcessSearch& search, const std::function<bool(std::string_view)>& next) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) {
        if (!has_ended(errno)) search.record_unreadable(path, errno);
        return false;
    }
    std::string text;
    std::array<char, 65536> chunk{};
    while (true) {
        const ssize_t got = ::read(file.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && !has_ended(errno)) search.record_unreadable(path, errno);
        if (got <= 0) return !text.empty() && next(text);
        text.append(chunk.data(), static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
            if (next(std::string_view(text).substr(begin, end - begin))) return true;
        text.erase(0, begin);
    }
}

bool any_descriptor_of(const std::string& process, ProcessSearch& search,
                       const std::function<bool(const std::string& descriptor, const std::string& link)>& matches) {
    const std::string folder = process + "/fd/";
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(folder.c_str()), &::closedir);
    if (!stream) {
        if (!has_ended(errno)) search.record_unreadable(folder, errno);
        return false;
    }
    errno = 0;
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string name = entry->d_name;
        if (!name.starts_with('.') && matches(name, folder + name)) return true;
        errno = 0;
    }
    if (errno != 0 && !has_ended(errno)) search.record_unreadable(folder, errno);
    return false;
}

std::optional<SharedMapping> shared_mapping(const std::string& process, std::string_view line) {
    // 7f12a000-7f12b000 rw-s 00000000 00:05 123    /dev/sdb1
    const auto space = line.find(' ');
    const auto dash = line.find('-');
    if (space == std::string_view::npos || dash > space || line.size() < space + 5 || line[space + 4] != 's')
        return std::nullopt;
    // map_files has no leading zeros.
    const auto plain = [](std::string_view address) {
        const auto digit = address.find_first_not_of('0');
        return address.substr(digit == std::string_view::npos ? address.size() - 1 : digit);
    };
    // A thread has no separate map_files directory.
    const std::string owner = process.substr(0, process.find("/task/"));
    return SharedMapping{.link = fmt::format("{}/map_files/{}-{}", owner, plain(line.substr(0, dash)),
                                             plain(line.substr(dash + 1, space - dash - 1))),
                         .writable = line[space + 2] == 'w'};
}

bool may_become_writable(const std::string& process, const SharedMapping& mapping, ProcessSearch& search) {
    if (mapping.writable) return true;
    bool here = false;
    return any_line_of(process + "/smaps", search, [&](std::string_view line) {
        if (line.find('-') < line.find(' ')) {
            const auto other = shared_mapping(process, line);
            here = other && other->link == mapping.link;
        }
        return here && line.starts_with("VmFlags:") && line.find(" mw") != std::string_view::npos;
    });
}

std::optional<struct stat> target_status(const std::string& link) {
    struct statx about {};
    if (::statx(AT_FDCWD, link.c_str(), AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &about) != 0)
        return std::nullopt;
    struct stat status {};
    status.st_dev = makedev(about.stx_dev_major, about.stx_dev_minor);
    status.st_rdev = makedev(about.stx_rdev_major, about.stx_rdev_minor);
    status.st_ino = about.stx_ino;
    status.st_mode = about.stx_mode;
    status.st_uid = about.stx_uid;
    status.st_gid = about.stx_gid;
    status.st_size = static_cast<off_t>(about.stx_size);
    status.st_mtim = {about.stx_mtime.tv_sec, about.stx_mtime.tv_nsec};
    status.st_ctim = {about.stx_ctime.tv_sec, about.stx_ctime.tv_nsec};
    return status;
}

/// In octal in fdinfo, proc(5).
std::optional<unsigned long> flags_of(const std::string& process, const std::string& descriptor) {
    const auto info = read_file_if_there(process + "/fdinfo/" + descriptor);
    const auto at = info && *info ? (*info)->find("flags:\t") : std::string::npos;
    if (at == std::string::npos) return std::nullopt;
    return std::strtoul((*info)->c_str() + at + 7, nullptr, 8);
}

std::string processes_that(const std::function<bool(const std::string& process)>& matches, pid_t except,
                           ProcessSearch& search) {
    constexpr int most = 3;
    std::string who;
    int count = 0;
    const auto processes = names_in("/proc");
    if (!processes || !*processes) {
        search.record_unreadable("/proc", EIO);
        return who;
    }
    for (const std::string& name : **processes) {
        if (search.is_over()) break;
        const bool number = name.find_first_not_of("0123456789") == std::string::npos;
        if (!number || name == std::to_string(except)) continue;
        const std::vector<std::string> tables = tables_of(name);
        if (std::none_of(tables.begin(), tables.end(), matches)) continue;
        if (++count > most) return who + ", and others";
        who +=
            fmt::format("{}process {} ({})", who.empty() ? "" : ", ", name, text_attribute("/proc/" + name + "/comm"));
    }
    return who;
}

} // namespace mediarig::media
