// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/clear.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace mediarig::media {
namespace {

bool not_supported(int error) {
    return error == EOPNOTSUPP || error == EINVAL || error == ENODEV || error == ENOTTY;
}

} // namespace

Result<void> write_at(int descriptor, const std::string& what, Bytes offset, Raw bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t put =
            ::pwrite(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset.count + done));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0)
            return fail(Errc::io_failed, fmt::format("cannot write the {} at byte {}: {}", what, offset.count + done,
                                                     put < 0 ? std::strerror(errno) : "no bytes were written"));
        done += static_cast<std::size_t>(put);
    }
    return {};
}

Result<void> write_zeros(int descriptor, const std::string& what, Bytes offset, Bytes length) {
    static const std::array<std::byte, 1 << 20> zeros{};
    for (Bytes done{}; done < length;) {
        const Bytes piece = std::min(Bytes{zeros.size()}, length - done);
        if (auto written = write_at(descriptor, what, offset + done, Raw(zeros).first(piece.count)); !written)
            return written;
        done += piece;
    }
    return {};
}

Result<void> clear_span(int descriptor, const std::string& what, Bytes offset, Bytes length) {
    const auto failed = [&](int error) {
        return fail(Errc::io_failed,
                    fmt::format("cannot clear the {} at byte {}: {}", what, offset.count, std::strerror(error)));
    };
    if (::fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset.count),
                    static_cast<off_t>(length.count)) == 0)
        return {};
    if (!not_supported(errno)) return failed(errno);
    std::array<std::uint64_t, 2> range{offset.count, length.count};
    if (::ioctl(descriptor, BLKZEROOUT, range.data()) == 0) return {};
    if (!not_supported(errno)) return failed(errno);
    return write_zeros(descriptor, what, offset, length);
}

} // namespace mediarig::media
