// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/hfsplus/write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "host/media/format/hfsplus/encode.hpp"

namespace mediarig::media::hfsplus {
namespace {

/// Between two looks at `cancel`: a second or so on a slow card.
constexpr Bytes stride = 8_MiB;

Result<void> write_at(int descriptor, const std::string& what, Bytes offset, Raw bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t put =
            ::pwrite(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset.count + done));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0)
            return fail(Errc::io_failed, fmt::format("cannot write the {} at byte {}: {}", what, offset.count + done,
                                                     put < 0 ? std::strerror(errno) : "nothing was taken"));
        done += static_cast<std::size_t>(put);
    }
    return {};
}

Result<void> clear_by_writing(int descriptor, const Span& span) {
    static const std::array<std::byte, 1 << 20> zeros{};
    for (Bytes done{}; done < span.length;) {
        const Bytes length = std::min(Bytes{zeros.size()}, span.length - done);
        if (auto written = write_at(descriptor, span.what, span.offset + done, Raw(zeros).first(length.count));
            !written)
            return written;
        done += length;
    }
    return {};
}

bool not_supported(int error) {
    return error == EOPNOTSUPP || error == EINVAL || error == ENODEV || error == ENOTTY;
}

/// By the cheapest means that promises zeros: a hole in a file or in the file behind a loop device, the device's own
/// command, the kernel's zeros, ours.
Result<void> clear(int descriptor, const Span& span) {
    const auto failed = [&span](int error) {
        return fail(Errc::io_failed, fmt::format("cannot clear the {} at byte {}: {}", span.what, span.offset.count,
                                                 std::strerror(error)));
    };
    if (::fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(span.offset.count),
                    static_cast<off_t>(span.length.count)) == 0)
        return {};
    if (!not_supported(errno)) return failed(errno);
    std::array<std::uint64_t, 2> range{span.offset.count, span.length.count};
    if (::ioctl(descriptor, BLKZEROOUT, range.data()) == 0) return {};
    if (!not_supported(errno)) return failed(errno);
    return clear_by_writing(descriptor, span);
}

Result<void> write_pieces(int descriptor, const std::vector<Piece>& pieces, Written& written) {
    for (const Piece& piece : pieces) {
        if (auto put = write_at(descriptor, piece.what, piece.offset, piece.bytes); !put) return put;
        written.pieces += Bytes{piece.bytes.size()};
    }
    if (::fsync(descriptor) != 0)
        return fail(Errc::io_failed,
                    fmt::format("cannot bring the {} to the medium: {}", pieces.back().what, std::strerror(errno)));
    return {};
}

} // namespace

Result<Written> write_volume(int descriptor, const Layout& layout, const std::atomic<bool>* cancel) {
    Written written;
    for (const Span& span : spans_to_clear(layout)) {
        for (Bytes done{}; done < span.length;) {
            if (cancel != nullptr && cancel->load(std::memory_order_relaxed))
                return fail(Errc::cancelled, "the format was cancelled: the medium holds no file system now");
            const Bytes length = std::min(stride, span.length - done);
            if (auto cleared = clear(descriptor, {span.what, span.offset + done, length}); !cleared)
                return fail(cleared.error());
            done += length;
        }
        written.cleared += span.length;
    }
    if (auto put = write_pieces(descriptor, structures(layout), written); !put) return fail(put.error());
    if (auto put = write_pieces(descriptor, volume_headers(layout), written); !put) return fail(put.error());
    return written;
}

} // namespace mediarig::media::hfsplus
