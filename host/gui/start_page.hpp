// SPDX-License-Identifier: GPL-3.0-or-later
/// What is attached, and what can be asked of it. Nothing is chosen before a person chooses it.
#pragma once

#include <QWidget>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "host/gui/models/attached.hpp"
#include "host/gui/models/question.hpp"

class QCommandLinkButton;
class QLabel;
class QListWidget;

namespace mediarig::gui {

class StartPage final : public QWidget {
public:
    /// `begin` is called with a plan that a person has confirmed.
    StartPage(std::filesystem::path store, std::function<void(const plan::Plan&)> begin);
    ~StartPage() override;
    /// Looks what is attached; what was chosen stays chosen while it is the same medium.
    void rescan();

private:
    void show_attached(const std::vector<Attached>& attached);
    [[nodiscard]] const Attached* chosen() const;
    void choose();
    void ask(Question question);
    /// One after the other: each holds the medium for a moment.
    void foresee(std::size_t question, const std::string& presence);
    void tell(const QString& text);

    std::filesystem::path store_;
    std::function<void(const plan::Plan&)> begin_;
    QListWidget* list_{};
    QLabel* told_{};
    std::map<Question, QCommandLinkButton*> buttons_;
    std::map<Question, QString> takes_; ///< of the medium that is chosen
};

} // namespace mediarig::gui
