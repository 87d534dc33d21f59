// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "host/base/process/caller.hpp"

namespace mediarig::process {
namespace {

Error cannot_open(const Caller& caller, const std::string& path, int cause) {
    switch (cause) {
        case EACCES:
        case EPERM:
            if (caller.name.empty() || caller.is_root())
                return {Errc::no_permission, fmt::format("{} may not be opened: {}", path, std::strerror(cause))};
            return {
                Errc::no_permission,
                fmt::format("{} may not be opened by user {}, for whom mediarig runs; to work for root instead, start "
                            "mediarig from a root login, or with env -u SUDO_UID",
                            path, caller.name)};
        case ENOENT:
        case ENOTDIR:
        case ENAMETOOLONG:
            return {Errc::bad_request,
                    fmt::format("{}: no such device, image or directory; 'mediarig devices' lists the devices", path)};
        case ELOOP:
            return {Errc::bad_request,
                    fmt::format("{} is a circular link or leads into a process; name the file itself", path)};
        case EWOULDBLOCK:
        case EBUSY:
        case ETXTBSY:
            return {
                Errc::refused,
                fmt::format("{} is in use by another program: end that program, or name another file or device", path)};
        case ENXIO:
        case ENODEV:
        case ENOMEDIUM:
            return {Errc::no_medium, fmt::format("cannot open {}: {}", path, std::strerror(cause))};
        default:
            return {Errc::io_failed, fmt::format("cannot open {}: {}", path, std::strerror(cause))};
    }
}

const char* name_of_kind(mode_t kind) {
    return S_ISREG(kind)   ? "regular file"
           : S_ISBLK(kind) ? "block device"
           : S_ISCHR(kind) ? "character device"
                           : "directory";
}

std::string link_of(const Descriptor& descriptor) {
    return fmt::format("/proc/self/fd/{}", descriptor.get());
}

/// Adds status and path to an open descriptor.
Result<FoundFile> describe(Descriptor descriptor, const std::string& path) {
    FoundFile file{.descriptor = std::move(descriptor)};
    std::array<char, PATH_MAX> name{};
    const ssize_t length = ::readlink(link_of(file.descriptor).c_str(), name.data(), name.size());
    if (length < 0 || ::fstat(file.descriptor.get(), &file.status) != 0)
        return fail(Errc::io_failed, fmt::format("cannot describe {}: {}", path, std::strerror(errno)));
    file.path.assign(name.data(), static_cast<std::size_t>(length));
    // The file was removed after the lookup or is outside this root: the kernel's name for it cannot be opened.
    const bool removed = file.status.st_nlink == 0;
    if (removed || file.path.empty() || file.path.front() != '/' || file.path.size() == name.size())
        return fail(Errc::bad_request, fmt::format("{} has no name in this file system; check the name", path));
    return file;
}

Result<FoundFile> find(const Caller& caller, const std::string& path) {
    if (path.empty() || path.find('\0') != std::string::npos)
        return fail(Errc::bad_request, "a path is empty or has a NUL byte");
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    // These links lead into this or another process, with rights that the caller may lack.
    how.resolve = RESOLVE_NO_MAGICLINKS;
    auto fd = static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how));
    // Linux before 5.6 lacks openat2(2). A process that works for no other user gains no access through these links.
    if (fd < 0 && errno == ENOSYS && caller.name.empty()) fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    Descriptor found(fd);
    if (!found) return fail(cannot_open(caller, path, errno));
    return describe(std::move(found), path);
}

Result<FoundFile> reopen_for(const Caller& caller, const FoundFile& found, int flags) {
    // This open(2) checks the permissions of the file itself; the lookup has checked only those of its folders.
    constexpr int never = O_CREAT | O_TRUNC;
    constexpr int always = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    Descriptor opened(::open(link_of(found.descriptor).c_str(), (flags & ~never) | always));
    if (!opened) return fail(cannot_open(caller, found.path, errno));
    if ((flags & O_NONBLOCK) == 0 && ::fcntl(opened.get(), F_SETFL, flags & ~(never | O_ACCMODE)) != 0)
        return fail(Errc::io_failed, fmt::format("cannot open {}: {}", found.path, std::strerror(errno)));
    auto file = describe(std::move(opened), found.path);
    const bool same = file && file->status.st_dev == found.status.st_dev &&
                      file->status.st_ino == found.status.st_ino && file->status.st_rdev == found.status.st_rdev &&
                      (file->status.st_mode & S_IFMT) == (found.status.st_mode & S_IFMT);
    if (file && !same) return fail(Errc::refused, fmt::format("{} was replaced by another file", found.path));
    return file;
}

} // namespace

Result<FoundFile> find_as(const Caller& caller, const std::string& path) {
    const auto rights = CallerRights::of(caller);
    if (!rights) return fail(rights.error());
    return find(caller, path);
}

Result<FoundFile> reopen(const FoundFile& found, int flags) {
    return reopen_for({}, found, flags);
}

Result<FoundFile> reopen_as(const Caller& caller, const FoundFile& found, int flags) {
    const auto rights = CallerRights::of(caller);
    if (!rights) return fail(rights.error());
    return reopen_for(caller, found, flags);
}

Result<FoundFile> open_as(const Caller& caller, const std::string& path, mode_t kind, int flags) {
    const auto rights = CallerRights::of(caller);
    if (!rights) return fail(rights.error());
    auto found = find(caller, path);
    if (!found) return found;
    if ((found->status.st_mode & S_IFMT) != kind)
        return fail(Errc::bad_request, fmt::format("{} is not a {}; check the name", path, name_of_kind(kind)));
    return reopen_for(caller, *found, flags);
}

} // namespace mediarig::process
