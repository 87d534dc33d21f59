// SPDX-License-Identifier: GPL-3.0-or-later
/// A medium's regions as a drawing for the page: two SVG bars with labels. Used for the initial content and for formats
/// that the campaign made. Pure: regions in, text out.
///
/// The metadata of a card of 64 GB takes 20 MB; to scale it is thinner than a pixel. So the upper bar is to scale, and
/// the lower bar expands small regions: the width of a region follows the logarithm of its length, with a minimum that
/// fits its letter. Lines connect equal boundaries.
#pragma once

#include <string>
#include <vector>

#include "host/media/conformance/layout.hpp"

namespace mediarig::report {

/// Returns the purpose of a region as the name of its colour: "free", "table", "metadata", "journal", "files".
[[nodiscard]] std::string region_kind(const std::string& what);

struct DrawnRegion {
    media::Region region;
    std::string letter;             ///< "a", "b", …; "·" for free space
    double at{}, width{};           ///< place in the lower bar, in per cent
    double true_at{}, true_width{}; ///< place in the upper bar, in per cent
};
/// Returns at most 24 regions: further ones are combined into one, which contains their number.
[[nodiscard]] std::vector<DrawnRegion> drawn(const std::vector<media::Region>& regions);

/// Returns one <svg> with its own height and the width of its place; the page's style sheet (class "layout") defines
/// the colours. A screen reader gets one sentence per region.
[[nodiscard]] std::string layout_svg(const std::vector<DrawnRegion>& regions);

/// Returns "16777216", followed by "16 MiB" if it is a whole number of KiB or more.
[[nodiscard]] std::string place_text(Bytes at);
/// Returns "16 MiB" or "512 B"; "–" for a region at byte 0, which has every alignment.
[[nodiscard]] std::string alignment_text(Bytes alignment);

} // namespace mediarig::report
