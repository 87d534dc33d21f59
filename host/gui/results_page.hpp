// SPDX-License-Identifier: GPL-3.0-or-later
/// All campaigns of the store, and the report of the one that is chosen, or of two side by side.
#pragma once

#include <QWidget>
#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTableView;
class QLabel;

namespace mediarig::gui {

class CampaignPane;
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
    /// Ids, as they stand in the list.
    [[nodiscard]] std::vector<std::string> chosen() const;
    /// What `mediarig compare --media` says of two campaigns.
    void compare(const std::vector<std::string>& ids);

    std::filesystem::path store_;
    std::function<void(const std::string&)> watch_;
    CampaignTable* table_{};
    QTableView* list_{};
    QLineEdit* filter_{};
    std::array<CampaignPane*, 2> panes_{};
    QPlainTextEdit* compared_{};
    std::size_t choices_{}; ///< made so far: a comparison of an earlier one is not shown
    QPushButton *open_{}, *watch_button_{};
    QLabel* told_{};
};

} // namespace mediarig::gui
