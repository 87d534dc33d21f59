// SPDX-License-Identifier: GPL-3.0-or-later
/// Page of the attached media and the questions about them. Initially no medium is selected.
#pragma once

#include <QWidget>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "host/gui/models/attached_medium.hpp"
#include "host/gui/models/question.hpp"

class QCommandLinkButton;
class QLabel;
class QListWidget;

namespace mediarig::gui {

class StartPage final : public QWidget {
public:
    /// `begin` is called with a plan confirmed by the user; `ask_tray` opens the dialog for many media.
    StartPage(std::filesystem::path store, std::function<void(const plan::Plan&)> begin,
              std::function<void()> ask_tray);
    ~StartPage() override;
    /// Lists the attached media again; keeps the selection if the medium is the same.
    void rescan();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void show_attached(const std::vector<AttachedMedium>& attached);
    [[nodiscard]] const AttachedMedium* chosen() const;
    void choose();
    void ask(Question question);
    /// Runs the estimates one after another: each claims the medium briefly.
    void estimate_run(std::size_t question);
    void tell(const QString& text);
    /// Sets the text of the button. `about`: the estimate, or the reason why the question cannot be answered, if either
    /// is known.
    void describe(Question question, const QString& about);
    /// Adjusts the height of the buttons to their texts.
    void fit();

    std::filesystem::path store_;
    std::function<void(const plan::Plan&)> begin_;
    QListWidget* list_{};
    QLabel* message_{};
    std::map<Question, QCommandLinkButton*> buttons_;
    std::map<Question, QString> takes_; ///< texts of the estimates for the selected medium
    std::size_t choices_{};             ///< number of selections so far: estimates for earlier selections are ignored
    bool estimating_{};
    std::optional<plan::Plan> confirmed_; ///< plan that starts when the running estimate has released the medium
};

} // namespace mediarig::gui
