// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/hfsplus_write.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/media/format/hfsplus/encode.hpp"
#include "host/media/format/linux/clear.hpp"

namespace mediarig::media::hfsplus {
namespace {

/// Bytes written between two checks of `cancel`: about one second on a slow card.
constexpr Bytes stride = 8_MiB;

Result<void> write_pieces(int descriptor, const std::vector<Piece>& pieces, Written& written) {
    for (const Piece& piece : pieces) {
        if (auto put = write_at(descriptor, piece.what, piece.offset, piece.bytes); !put) return put;
        written.pieces += Bytes{piece.bytes.size()};
    }
    if (::fsync(descriptor) != 0)
        return fail(Errc::io_failed,
                    fmt::format("cannot flush the {} to the medium: {}", pieces.back().what, std::strerror(errno)));
    return {};
}

} // namespace

Result<Written> write_volume(int descriptor, const Layout& layout, const std::atomic<bool>* cancel) {
    Written written;
    for (const Span& span : spans_to_clear(layout)) {
        for (Bytes done{}; done < span.length;) {
            if (cancel != nullptr && cancel->load(std::memory_order_relaxed))
                return fail(Errc::cancelled, "the format was cancelled: the medium contains no file system now");
            const Bytes length = std::min(stride, span.length - done);
            if (auto cleared = clear_span(descriptor, span.what, span.offset + done, length); !cleared)
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
