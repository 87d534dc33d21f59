// SPDX-License-Identifier: GPL-3.0-or-later
/// The colours that the window paints with by itself: made of the palette, so that they are readable in a light and in
/// a dark one. None says anything that does not stand beside it in words.
#pragma once

#include <QColor>
#include <QPalette>

#include "host/measure/verdict.hpp"

namespace mediarig::gui {

/// Of text and what is behind it. Source: WCAG 2.1, 1.4.3.
inline constexpr double least_contrast = 4.5;

/// Of two opaque colours, 1 to 21. Source: WCAG 2.1, "contrast ratio" and "relative luminance".
[[nodiscard]] double contrast(const QColor& one, const QColor& other);

/// `wanted`, made darker or lighter until it has least_contrast to an opaque `background`.
[[nodiscard]] QColor readable_on(const QColor& background, const QColor& wanted);

[[nodiscard]] QColor curve_colour(const QPalette& palette);
/// Text about a medium that may not be tested: paler than the others.
[[nodiscard]] QColor refused_colour(const QPalette& palette);
/// Behind the word of a verdict, which is written in the palette's base.
[[nodiscard]] QColor badge_colour(measure::Grade grade, const QPalette& palette);

} // namespace mediarig::gui
