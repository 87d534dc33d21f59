// SPDX-License-Identifier: GPL-3.0-or-later
/// Many media at once: all slots of a rig, or what a plan file names. The plan is there to be read and changed; its
/// faults are shown at their places, and what it takes before anything begins.
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
    /// `begin` is called with a plan that a person has confirmed, and further words for `mediarig run`.
    using Begin = std::function<void(const std::filesystem::path& plan, const QStringList& words)>;
    TrayDialog(std::filesystem::path store, Begin begin, QWidget* parent);
    ~TrayDialog() override;
    /// Takes its text for the plan; what keeps it from that is told.
    void open_plan(const QString& file);

private:
    void write_plan();
    void ask_for_file();
    /// Whether it is a plan; its faults are listed.
    bool check();
    void show_fault(int row);
    void foresee();
    void show_foreseen(const RunEstimate& estimate);
    void judge();
    [[nodiscard]] QStringList run_words() const;

    std::filesystem::path store_, file_; ///< `file_`: of the plan that was estimated
    Begin begin_with_;
    RigChoiceBox* rig_{};
    QComboBox* question_{};
    QLineEdit *lot_{}, *typed_{};
    QPlainTextEdit* plan_{};
    QListWidget* found_{}; ///< faults, or what each medium is
    QLabel *told_{}, *prompt_{};
    QPushButton *look_{}, *begin_{};
    bool in_lab_{}, erases_{}, foreseen_{};
    std::size_t media_{}; ///< that were estimated
};

} // namespace mediarig::gui
