// SPDX-License-Identifier: GPL-3.0-or-later
/// The one question before a campaign begins: about this medium, and whether it is erased.
#pragma once

#include <QDialog>
#include <QTimer>
#include <vector>

#include "host/gui/models/question.hpp"
#include "host/gui/models/replug.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace mediarig::gui {

class EraseDialog final : public QDialog {
public:
    /// `takes`: what an estimate says, or nothing.
    EraseDialog(const Attached& attached, Question question, const QString& takes, QWidget* parent);
    ~EraseDialog() override;
    /// Looks once a second whether the medium is still there.
    void watch();
    /// What was found by a look.
    void look(const std::vector<Attached>& now);
    /// Whether it has looked: from then on a medium that is missing was pulled.
    [[nodiscard]] bool looked() const { return replug_.looked(); }
    /// The medium that was asked about, as it is attached now.
    [[nodiscard]] const Attached& medium() const { return replug_.medium(); }

    /// Of speed_suites.
    [[nodiscard]] const char* suite() const;

private:
    void judge();

    Replug replug_;
    QLineEdit* typed_{}; ///< only where the medium is erased
    QComboBox* suite_{}; ///< only where there is a choice
    QLabel* told_{};
    QPushButton* begin_{};
    QTimer look_;
};

} // namespace mediarig::gui
