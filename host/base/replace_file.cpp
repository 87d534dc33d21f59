// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/replace_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "host/base/descriptor.hpp"

namespace mediarig {
namespace {

bool write_all(int out, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(out, text.data(), text.size());
        if (written < 0 && errno != EINTR) return false;
        if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

} // namespace

Result<void> replace_own_file(const std::filesystem::path& file, std::string_view content) {
    const auto failed = [&] {
        return fail(Errc::io_failed, fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)));
    };
    struct stat there {};
    if (::lstat(file.c_str(), &there) == 0 &&
        ((!S_ISREG(there.st_mode) && !S_ISLNK(there.st_mode)) || there.st_uid != ::geteuid()))
        return fail(Errc::refused, fmt::format("{} is not a file that this user owns: remove it", file.string()));
    constexpr int most_tries = 1000; // for names that killed processes left
    Descriptor part;
    std::string name;
    for (int i = 0; i < most_tries && !part; ++i) {
        name = fmt::format("{}.{}-{}.part", file.string(), ::getpid(), i);
        part = Descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
        if (!part && errno != EEXIST) return failed();
    }
    if (!part) return failed();
    if (write_all(part.get(), content) && ::rename(name.c_str(), file.c_str()) == 0) return {};
    const int cause = errno;
    ::unlink(name.c_str());
    errno = cause;
    return failed();
}

int rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    // EINVAL: this file system does not support the flag.
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
    if (errno == EEXIST) return EEXIST;
    struct stat there {};
    if (::lstat(to.c_str(), &there) == 0) return EEXIST;
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

} // namespace mediarig
