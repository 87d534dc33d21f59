// SPDX-License-Identifier: GPL-3.0-or-later
/// HFS+ volumes in memory for tests: made by mediarig, then damaged or read by other programs.
#pragma once

#include "host/media/format/hfsplus/layout.hpp"
#include "tests/media/inspect/image.hpp"

namespace mediarig::test {

/// Options of a volume that is journaled, case-insensitive, named "Card", with a fixed time.
[[nodiscard]] media::hfsplus::Options some_options();

struct MadeVolume {
    Image image;
    media::hfsplus::Layout layout;
};

/// Plans and writes a volume. The test fails on an error.
[[nodiscard]] MadeVolume make_volume(Bytes size, const media::hfsplus::Options& options = some_options());

} // namespace mediarig::test
