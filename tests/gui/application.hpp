// SPDX-License-Identifier: GPL-3.0-or-later
/// The application for the widgets of tests, with functions that examine all widgets.
#pragma once

#include <QApplication>
#include <string>
#include <vector>

class QWidget;

namespace mediarig::gui {

/// One object for all test cases of a program, because Qt permits only one.
QApplication& application();

/// Visible and accessible texts of a widget and its children, each with its widget: ("QPushButton stop", text).
struct ShownText {
    std::string where;
    QString text;
};
[[nodiscard]] std::vector<ShownText> texts_of(const QWidget& top);

/// Texts of one widget without its children.
[[nodiscard]] std::vector<ShownText> texts_of_one(const QWidget& widget);

/// Texts that need more space than they have, each as "QPushButton stop: 'Stop'". Examines visible widgets only.
[[nodiscard]] std::vector<std::string> cut_texts(const QWidget& top);

/// Widgets with keyboard focus or a value but without an accessible name.
[[nodiscard]] std::vector<std::string> nameless(const QWidget& top);

} // namespace mediarig::gui
