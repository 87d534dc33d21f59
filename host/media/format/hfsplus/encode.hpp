// SPDX-License-Identifier: GPL-3.0-or-later
/// The bytes of a planned volume. Pure. Ranges not listed here contain zeros or old data.
#pragma once

#include <string>
#include <vector>

#include "host/media/format/hfsplus/layout.hpp"

namespace mediarig::media::hfsplus {

struct Piece {
    std::string what; ///< for messages: "catalog file, root leaf"
    Bytes offset;     ///< from the start of the volume
    std::vector<std::byte> bytes;
};

struct Span {
    std::string what;
    Bytes offset, length;
};

/// Ranges that must be zero before the pieces are written: a driver could interpret an old journal or old nodes as
/// valid, and the volume header promises that unused nodes are zero.
[[nodiscard]] std::vector<Span> spans_to_clear(const Layout& layout);

/// All structures except the volume header and its copy; each structure is at most 1 MiB.
[[nodiscard]] std::vector<Piece> structures(const Layout& layout);

/// The copy of the volume header, then the header at byte 1024. Write both after all other structures are on the
/// medium: without a header the medium contains no volume.
[[nodiscard]] std::vector<Piece> volume_headers(const Layout& layout);

} // namespace mediarig::media::hfsplus
