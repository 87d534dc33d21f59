// SPDX-License-Identifier: GPL-3.0-or-later
/// What is attached, and what can be asked of it. Nothing is chosen before a person chooses it.
#pragma once

#include <QWidget>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "host/gui/models/attached.hpp"
#include "host/gui/models/question.hpp"

class QCommandLinkButton;
class QLabel;
class QListWidget;

namespace mediarig::gui {

class StartPage final : public QWidget {
public:
    /// `begin` is called with a plan that a person has confirmed; `ask_tray` for many media at once.
    StartPage(std::filesystem::path store, std::function<void(const plan::Plan&)> begin,
              std::function<void()> ask_tray);
    ~StartPage() override;
    /// Looks what is attached; what was chosen stays chosen while it is the same medium.
    void rescan();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void show_attached(const std::vector<Attached>& attached);
    [[nodiscard]] const Attached* chosen() const;
    void choose();
    void ask(Question question);
    /// Estimates, one after the other: each holds the medium for a moment.
    void foresee(std::size_t question);
    void tell(const QString& text);
    /// What its button says. `about`: what it takes, or why it cannot be answered, as far as that is known.
    void describe(Question question, const QString& about);
    /// Each button as high as what it says.
    void fit();

    std::filesystem::path store_;
    std::function<void(const plan::Plan&)> begin_;
    QListWidget* list_{};
    QLabel* told_{};
    std::map<Question, QCommandLinkButton*> buttons_;
    std::map<Question, QString> takes_; ///< of the medium that is chosen
    std::size_t choices_{};             ///< made so far: an estimate for an earlier one is not shown
    bool estimating_{};
    std::optional<plan::Plan> confirmed_; ///< begins when the estimate that is made holds the medium no more
};

} // namespace mediarig::gui
