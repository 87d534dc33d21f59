// SPDX-License-Identifier: GPL-3.0-or-later
/// The bytes of a planned volume. Pure. Where nothing is said here, a volume has zeros or what was there before.
#pragma once

#include <string>
#include <vector>

#include "host/media/format/hfsplus/layout.hpp"

namespace mediarig::media::hfsplus {

struct Piece {
    std::string what; ///< "catalog file, root leaf": for people
    Bytes offset;     ///< from the start of the volume
    std::vector<std::byte> bytes;
};

struct Span {
    std::string what;
    Bytes offset, length;
};

/// What has to be zeros before the pieces are written: an old journal or old nodes would be taken for valid, and the
/// volume header promises that unused nodes are zeros.
[[nodiscard]] std::vector<Span> spans_to_clear(const Layout& layout);

/// Everything but the volume header and its copy; none is longer than a MiB.
[[nodiscard]] std::vector<Piece> structures(const Layout& layout);

/// The copy first, then the header at byte 1024. To be written when everything else is on the medium: without them
/// there is no volume.
[[nodiscard]] std::vector<Piece> volume_headers(const Layout& layout);

} // namespace mediarig::media::hfsplus
