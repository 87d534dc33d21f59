// SPDX-License-Identifier: GPL-3.0-or-later
/// The one question before something begins: what will be done to which medium; erasing is confirmed by typing.
#pragma once

#include <QDialog>

#include "host/gui/models/attached.hpp"
#include "host/gui/models/question.hpp"

class QLineEdit;
class QPushButton;

namespace mediarig::gui {

class EraseDialog final : public QDialog {
public:
    EraseDialog(const Attached& attached, Question question, const QString& takes, QWidget* parent);

private:
    QLineEdit* typed_{};
    QPushButton* begin_{};
};

} // namespace mediarig::gui
