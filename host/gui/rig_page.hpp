// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig: where its carriage is, what is in its readers, what is wrong and what to do; moved by hand behind a switch.
/// Everything is asked for by `mediarig rig`.
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
    /// Looks now; while the page is shown it looks again every second.
    void look();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    [[nodiscard]] QGroupBox* moves();
    void show_rig(const ShownRig& rig);
    void show_nothing(const QString& why);
    /// `mediarig rig WORDS`, behind a look that has the rig's line; nothing else is asked of the rig meanwhile.
    void move(const QStringList& words);
    /// What is moved is stopped by the command that moves it: the line is that one's.
    void stop();
    void simulate();
    void enable();

    std::filesystem::path store_;
    QTimer look_;
    bool looking_{}, moving_{};
    QStringList waits_; ///< words of a move that a look is in the way of
    QPointer<QProcess> move_;
    QProcess simulation_; ///< ends with the window
    RigChoiceBox* rig_{};
    QPushButton *simulate_{}, *stop_{};
    QLabel *state_{}, *fault_{}, *told_{};
    RigMap* map_{};
    QTreeWidget* ports_{};
    QCheckBox* by_hand_{};
    QWidget* moves_{};
    QSpinBox *pocket_{}, *reader_{};
    QComboBox* to_{};
};

} // namespace mediarig::gui
