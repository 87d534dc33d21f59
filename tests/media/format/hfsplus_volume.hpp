// SPDX-License-Identifier: GPL-3.0-or-later
/// HFS+ volumes in memory for tests: made by us, then damaged or shown to others.
#pragma once

#include "host/media/format/hfsplus/layout.hpp"
#include "tests/media/inspect/image.hpp"

namespace mediarig::test {

/// Journaled, ignoring case, named "Card", at a fixed time.
[[nodiscard]] media::hfsplus::Options some_options();

struct MadeVolume {
    Image image;
    media::hfsplus::Layout layout;
};

/// Plans and writes; the test fails where that fails.
[[nodiscard]] MadeVolume make_volume(Bytes size, const media::hfsplus::Options& options = some_options());

} // namespace mediarig::test
