// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/colours.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mediarig::gui {
namespace {

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

int mixed(int from, int to, double part) {
    return static_cast<int>(std::lround(from + (to - from) * part));
}

QColor hue_of(measure::Grade grade) {
    switch (grade) {
        case measure::Grade::pass:
            return {0x00, 0x6b, 0x4f};
        case measure::Grade::fail:
            return {0xb3, 0x26, 0x1e};
        case measure::Grade::fake:
            return {0x8a, 0x1c, 0x6b};
        default:
            return {0x8a, 0x5a, 0x00};
    }
}

} // namespace

double contrast(const QColor& one, const QColor& other) {
    const auto [darker, lighter] = std::minmax({luminance(one), luminance(other)});
    return (lighter + 0.05) / (darker + 0.05);
}

QColor readable_on(const QColor& background, const QColor& wanted) {
    // Black or white has a contrast of at least 4.58 to any colour.
    const bool dark = contrast(background, Qt::black) < contrast(background, Qt::white);
    const QColor end = dark ? Qt::white : Qt::black;
    constexpr int steps = 32;
    for (int i = 0; i < steps; ++i) {
        const double part = static_cast<double>(i) / steps;
        const QColor tried(mixed(wanted.red(), end.red(), part), mixed(wanted.green(), end.green(), part),
                           mixed(wanted.blue(), end.blue(), part));
        if (contrast(background, tried) >= least_contrast) return tried;
    }
    return end;
}

QColor curve_colour(const QPalette& palette) {
    return readable_on(palette.color(QPalette::Active, QPalette::Base),
                       palette.color(QPalette::Active, QPalette::Highlight));
}

QColor refused_colour(const QPalette& palette) {
    return readable_on(palette.color(QPalette::Active, QPalette::Base),
                       palette.color(QPalette::Disabled, QPalette::Text));
}

QColor badge_colour(measure::Grade grade, const QPalette& palette) {
    return readable_on(palette.color(QPalette::Active, QPalette::Base), hue_of(grade));
}

} // namespace mediarig::gui
