// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/monospaced.hpp"

#include <QFontDatabase>
#include <QPlainTextEdit>

namespace mediarig::gui {

QPlainTextEdit* monospaced(const QString& name) {
    auto* const text = new QPlainTextEdit;
    text->setReadOnly(true);
    text->setLineWrapMode(QPlainTextEdit::NoWrap);
    text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    text->setAccessibleName(name);
    text->setTabChangesFocus(true);
    return text;
}

} // namespace mediarig::gui
