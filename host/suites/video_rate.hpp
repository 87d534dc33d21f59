// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace mediarig::suites {

/// MiB/s that uncompressed video asks for. Bytes a pixel: 2 for 8 bit 4:2:2, 8/3 for 10 bit 4:2:2, 4 for 10 bit RGB.
/// Source: ten of ten rates of the DeckLink manual.
[[nodiscard]] constexpr double video_rate(double width, double height, double bytes_per_pixel, double frames) {
    return width * height * bytes_per_pixel * frames / (1 << 20);
}

} // namespace mediarig::suites
