// SPDX-License-Identifier: GPL-3.0-or-later
/// Colours of painted widgets, derived from the palette so that they are readable in light and dark palettes. Colour
/// never carries information alone: a text always accompanies it.
#pragma once

#include <QColor>
#include <QPalette>

#include "host/measure/verdict.hpp"

namespace mediarig::gui {

/// Minimum contrast of text to its background. Source: WCAG 2.1, 1.4.3.
inline constexpr double least_contrast = 4.5;

/// Contrast of two opaque colours, 1 to 21. Source: WCAG 2.1, "contrast ratio" and "relative luminance".
[[nodiscard]] double contrast(const QColor& one, const QColor& other);

/// Darkens or lightens `wanted` until it has least_contrast to an opaque `background`.
[[nodiscard]] QColor readable_on(const QColor& background, const QColor& wanted);

[[nodiscard]] QColor curve_colour(const QPalette& palette);
/// Colour of text about a medium that may not be tested: paler than other text.
[[nodiscard]] QColor refused_colour(const QPalette& palette);
/// Background of the word of a verdict; the word has the palette's base colour.
[[nodiscard]] QColor badge_colour(measure::Grade grade, const QPalette& palette);

} // namespace mediarig::gui
