// SPDX-License-Identifier: GPL-3.0-or-later
/// Page of a rig: position of the carriage, readers, faults and remedies; a check box enables manual control. Uses only
/// `mediarig rig`.
#pragma once

#include <QPointer>
#include <QProcess>
#include <QStringList>
#include <QTimer>
#include <QWidget>
#include <filesystem>
#include <vector>

#include "host/gui/models/shown_rig.hpp"

class QCheckBox;
class QGroupBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QComboBox;
class QTreeWidget;

namespace mediarig::gui {

class RigChoiceBox;
class RigMap;

class RigPage final : public QWidget {
public:
    explicit RigPage(std::filesystem::path store);
    ~RigPage() override;
    /// Queries the rig now, and every second while the page is visible.
    void look();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    [[nodiscard]] QGroupBox* moves();
    void show_rig(const ShownRig& rig);
    void show_nothing(const QString& why);
    /// Runs `mediarig rig WORDS` after a running query, which uses the rig's serial line, has ended; no query starts
    /// during the command.
    void move(const QStringList& words);
    /// Stops a move through the command that performs it, because that command owns the serial line.
    void stop();
    void simulate();
    void enable();

    std::filesystem::path store_;
    QTimer look_;
    bool looking_{}, moving_{};
    QStringList waits_; ///< arguments of a move that waits for the end of a query
    QPointer<QProcess> move_;
    QProcess simulation_; ///< the process ends with the window
    RigChoiceBox* rig_{};
    QPushButton *simulate_{}, *stop_{};
    QLabel *state_{}, *fault_{}, *message_{};
    RigMap* map_{};
    QTreeWidget* ports_{};
    QCheckBox* by_hand_{};
    QWidget* moves_{};
    QSpinBox *pocket_{}, *reader_{};
    QComboBox* to_{};
};

} // namespace mediarig::gui
