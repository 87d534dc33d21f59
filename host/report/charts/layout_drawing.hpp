// SPDX-License-Identifier: GPL-3.0-or-later
/// A medium's regions as a drawing for the page: two bars in SVG, and what stands beside them. Pure: regions in, text
/// out; the same for what a medium held when it came and for what was made of it.
///
/// The metadata of a card of 64 GB takes 20 MB: to scale, it is thinner than a pixel. So the upper bar is to scale, and
/// the lower one, which is not, opens it: there a region is as wide as the logarithm of its length, and none is too
/// narrow for its letter. Lines lead from each boundary to itself.
#pragma once

#include <string>
#include <vector>

#include "host/media/expect/layout.hpp"

namespace mediarig::report {

/// What a region is for, as a name for its colour: "free", "table", "metadata", "journal", "files".
[[nodiscard]] std::string region_kind(const std::string& what);

struct DrawnRegion {
    media::Region region;
    std::string letter;             ///< "a", "b", …; "·" for free space
    double at{}, width{};           ///< of the lower bar, in per cent
    double true_at{}, true_width{}; ///< of the upper bar, in per cent
};
/// At most 24 of them: what is beyond is drawn as one, and says how many it stands for.
[[nodiscard]] std::vector<DrawnRegion> drawn(const std::vector<media::Region>& regions);

/// One <svg> of its own height and the width of its place; colours come from the page's style sheet (class "layout"). A
/// screen reader gets one sentence a region.
[[nodiscard]] std::string layout_svg(const std::vector<DrawnRegion>& regions);

/// "16777216", "16 MiB" beside it where it is a whole number of KiB or more.
[[nodiscard]] std::string place_text(Bytes at);
/// "16 MiB", "512 B"; "–" for a region at byte 0, which is aligned to anything.
[[nodiscard]] std::string alignment_text(Bytes alignment);

} // namespace mediarig::report
