// SPDX-License-Identifier: GPL-3.0-or-later
/// All campaigns of the store, and the report of the one that is chosen.
#pragma once

#include <QWidget>
#include <filesystem>
#include <functional>
#include <string>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTableView;
class QTextBrowser;
class QLabel;

namespace mediarig::gui {

class CampaignTable;

class ResultsPage final : public QWidget {
public:
    /// `watch` is called with the id of a campaign that runs.
    ResultsPage(std::filesystem::path store, std::function<void(const std::string&)> watch);
    ~ResultsPage() override;
    /// Reads the store again; shows `campaign` where it is given.
    void refresh(const std::string& campaign = {});
    void focus_filter();

private:
    void show_chosen();
    [[nodiscard]] std::string chosen() const;

    std::filesystem::path store_;
    std::function<void(const std::string&)> watch_;
    CampaignTable* table_{};
    QTableView* list_{};
    QLineEdit* filter_{};
    QTextBrowser* cards_{};
    QPlainTextEdit* tables_{};
    QPushButton *open_{}, *watch_button_{};
    QLabel* told_{};
};

} // namespace mediarig::gui
