// SPDX-License-Identifier: GPL-3.0-or-later
/// The formulas by which the original programs convert rates into their printed figures.
#pragma once

#include <array>
#include <string_view>

#include "host/workload/spec.hpp"

namespace mediarig::suites {

/// Xbench 1.3: the score of a part is 100 * rate / reference. The score of a section is the harmonic mean of its four
/// parts; the score of the disk is the harmonic mean of all eight.
struct XbenchPart {
    std::string_view label; ///< e.g. "sequential write 4K"
    workload::Access access;
    Bytes block;
    double reference; ///< MB/s for score 100: inferred from four published tables, not the vendor's constant
};
inline constexpr std::array xbench_parts{
    XbenchPart{"sequential write 4K", workload::Access::sequential_write, 4_KiB, 61.399},
    XbenchPart{"sequential write 256K", workload::Access::sequential_write, 256_KiB, 56.576},
    XbenchPart{"sequential read 4K", workload::Access::sequential_read, 4_KiB, 29.265},
    XbenchPart{"sequential read 256K", workload::Access::sequential_read, 256_KiB, 50.259},
    XbenchPart{"random write 4K", workload::Access::random_write, 4_KiB, 10.588},
    XbenchPart{"random write 256K", workload::Access::random_write, 256_KiB, 32.015},
    XbenchPart{"random read 4K", workload::Access::random_read, 4_KiB, 0.70856},
    XbenchPart{"random read 256K", workload::Access::random_read, 256_KiB, 18.5554},
};

/// Required MiB/s of uncompressed video. Bytes per pixel: 2 for 8 bit 4:2:2, 8/3 for 10 bit 4:2:2, 4 for 10 bit RGB.
/// Source: ten of ten rates of the DeckLink manual.
[[nodiscard]] constexpr double video_rate(double width, double height, double bytes_per_pixel, double frames) {
    return width * height * bytes_per_pixel * frames / (1 << 20);
}

} // namespace mediarig::suites
