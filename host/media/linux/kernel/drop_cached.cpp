// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/linux/kernel/drop_cached.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mediarig::media {

Result<void> drop_cached(int descriptor) {
    struct stat status {};
    int failed = ::fstat(descriptor, &status) == 0 ? 0 : errno;
    const auto note = [&](int error) { failed = failed == 0 ? error : failed; };
    // Each is tried whatever became of the others: a medium that takes no flush is to be read anew all the same.
    if (::fsync(descriptor) != 0) note(errno);
    // Of a block device it drops what it can, also where BLKFLSBUF needs a right that is missing.
    const int advice = ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    if (!S_ISBLK(status.st_mode)) note(advice);
    if (S_ISBLK(status.st_mode) && ::ioctl(descriptor, BLKFLSBUF, 0) != 0) note(errno);
    if (failed == 0) return {};
    return fail(Errc::io_failed, fmt::format("cannot empty the cache of the medium: {}", std::strerror(failed)));
}

} // namespace mediarig::media
