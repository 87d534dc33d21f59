// SPDX-License-Identifier: GPL-3.0-or-later
/// Confirmation dialog before a campaign: shows the medium and whether it is erased.
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
    /// `takes`: text of the estimate, may be empty.
    EraseDialog(const AttachedMedium& attached, Question question, const QString& takes, QWidget* parent);
    ~EraseDialog() override;
    /// Checks every second if the medium is still attached.
    void watch();
    /// Processes a new list of attached media.
    void look(const std::vector<AttachedMedium>& now);
    /// True after the first check: from then on a missing medium counts as pulled.
    [[nodiscard]] bool looked() const { return replug_.looked(); }
    /// The medium that the dialog is about, as currently attached.
    [[nodiscard]] const AttachedMedium& medium() const { return replug_.medium(); }

    /// One of speed_suites.
    [[nodiscard]] const char* suite() const;

private:
    void judge();

    Replug replug_;
    QLineEdit* typed_{}; ///< null unless the medium is erased
    QComboBox* suite_{}; ///< null unless there is a choice
    QLabel* message_{};
    QPushButton* begin_{};
    QTimer look_;
};

} // namespace mediarig::gui
