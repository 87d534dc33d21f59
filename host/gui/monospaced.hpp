// SPDX-License-Identifier: GPL-3.0-or-later
/// A text of the command line, shown as a terminal shows it: tables stay in their columns.
#pragma once

#include <QString>
#include <cstddef>

class QPlainTextEdit;

namespace mediarig::gui {

/// Of the report's tables that are shown so.
inline constexpr std::size_t table_columns = 100;

/// `name`: for who does not see it. It belongs to whoever shows it.
[[nodiscard]] QPlainTextEdit* monospaced(const QString& name);

} // namespace mediarig::gui
