// SPDX-License-Identifier: GPL-3.0-or-later
/// Dialog for many media: all slots of a rig, or the media of a plan file. Shows the plan for reading and editing, its
/// faults at their positions, and the estimate before the start.
#pragma once

#include <QDialog>
#include <filesystem>
#include <functional>

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace mediarig::gui {

class RigChoiceBox;
struct RunEstimate;

class TrayDialog final : public QDialog {
public:
    /// Called with a plan that the user has confirmed, and further arguments of `mediarig run`.
    using StartCampaign = std::function<void(const std::filesystem::path& plan, const QStringList& words)>;
    TrayDialog(std::filesystem::path store, StartCampaign begin, QWidget* parent);
    ~TrayDialog() override;
    /// Loads the plan from a file; shows an error on failure.
    void open_plan(const QString& file);

private:
    void write_plan();
    void ask_for_file();
    /// True if the text is a valid plan; lists its faults otherwise.
    bool check();
    void show_fault(int row);
    void estimate_run();
    void show_estimate(const RunEstimate& estimate);
    void judge();
    [[nodiscard]] QStringList run_words() const;

    std::filesystem::path store_, file_; ///< `file_`: the estimated plan
    StartCampaign begin_with_;
    RigChoiceBox* rig_{};
    QComboBox* question_{};
    QLineEdit *lot_{}, *typed_{};
    QPlainTextEdit* plan_{};
    QListWidget* found_{}; ///< faults, or the state of each medium
    QLabel *message_{}, *prompt_{};
    QPushButton *look_{}, *begin_{};
    bool in_lab_{}, erases_{}, estimated_{};
    std::size_t media_{}; ///< number of media in the estimate
};

} // namespace mediarig::gui
