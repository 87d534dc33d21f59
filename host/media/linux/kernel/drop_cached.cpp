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
    if (::fsync(descriptor) != 0 || ::fstat(descriptor, &status) != 0)
        return fail(Errc::io_failed, fmt::format("cannot write the medium's cache back: {}", std::strerror(errno)));
    // Of a block device it drops what it can, also where BLKFLSBUF needs a right that is missing.
    const int failed = ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED);
    if (S_ISBLK(status.st_mode)) {
        if (::ioctl(descriptor, BLKFLSBUF, 0) != 0)
            return fail(Errc::io_failed, fmt::format("cannot drop the medium's cache: {}", std::strerror(errno)));
    } else if (failed != 0) {
        return fail(Errc::io_failed, fmt::format("cannot drop the file's cache: {}", std::strerror(failed)));
    }
    return {};
}

} // namespace mediarig::media
