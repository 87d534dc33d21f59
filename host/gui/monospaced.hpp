// SPDX-License-Identifier: GPL-3.0-or-later
/// Shows command-line output in a fixed-width font, so that tables keep their columns.
#pragma once

#include <QString>
#include <cstddef>

class QPlainTextEdit;

namespace mediarig::gui {

/// Width of the report's tables in this view.
inline constexpr std::size_t table_columns = 100;

/// `name`: accessible name. The caller owns the widget.
[[nodiscard]] QPlainTextEdit* monospaced(const QString& name);

} // namespace mediarig::gui
