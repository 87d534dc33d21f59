// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/medium_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mediarig::media {

Result<std::vector<std::byte>> MediumReader::read(Bytes offset, Bytes length) const {
    if (offset > size_ || length > size_ - offset)
        return fail(Errc::bad_format, fmt::format("{} bytes at byte {} lie outside the medium of {} bytes",
                                                  length.count, offset.count, size_.count));
    std::vector<std::byte> bytes(length.count);
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got =
            ::pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset.count + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return fail(Errc::io_failed,
                        fmt::format("cannot read at byte {}: {}", offset.count + done, std::strerror(errno)));
        if (got == 0) return fail(Errc::io_failed, fmt::format("the medium ends at byte {}", offset.count + done));
        done += static_cast<std::size_t>(got);
    }
    read_ += length;
    return bytes;
}

Result<void> drop_cached(int descriptor) {
    struct stat status {};
    if (::fsync(descriptor) != 0 || ::fstat(descriptor, &status) != 0)
        return fail(Errc::io_failed, fmt::format("cannot write the medium's cache back: {}", std::strerror(errno)));
    if (S_ISBLK(status.st_mode)) {
        if (::ioctl(descriptor, BLKFLSBUF, 0) != 0)
            return fail(Errc::io_failed, fmt::format("cannot drop the medium's cache: {}", std::strerror(errno)));
    } else if (const int failed = ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED); failed != 0) {
        return fail(Errc::io_failed, fmt::format("cannot drop the file's cache: {}", std::strerror(failed)));
    }
    return {};
}

} // namespace mediarig::media
