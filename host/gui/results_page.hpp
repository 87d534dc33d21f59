// SPDX-License-Identifier: GPL-3.0-or-later
/// All campaigns of the store, and the reports of the selected ones side by side.
#pragma once

#include <QPixmap>
#include <QString>
#include <QWidget>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QTableView;
class QLabel;
class QTextDocument;

namespace mediarig::gui {

class CampaignPane;
class CampaignTable;

class ResultsPage final : public QWidget {
public:
    /// `watch` is called with the id of a running campaign.
    ResultsPage(std::filesystem::path store, std::function<void(const std::string&)> watch);
    ~ResultsPage() override;
    /// Reads the store again; selects `campaign` if it is not empty.
    void refresh(const std::string& campaign = {});
    void focus_filter();
    /// Saves the visible reports; the suffix (pdf, png, csv, else text) determines the format. Shows the result on the
    /// page.
    void save(const QString& file);
    /// The visible reports: as printed on a terminal, as written by `mediarig results --csv`, and as an image.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString csv() const;
    [[nodiscard]] QPixmap picture() const;

private:
    void show_chosen();
    /// Ids of the selected campaigns, in the order of the list.
    [[nodiscard]] std::vector<std::string> chosen() const;
    /// Ids of the selected campaigns that are visible.
    [[nodiscard]] std::vector<std::string> shown_ids() const;
    [[nodiscard]] std::unique_ptr<QTextDocument> printed() const;
    void copy_text();
    void choose_destination();
    void print();
    /// Shows the output of `mediarig compare --media` for several campaigns.
    void compare(const std::vector<std::string>& ids);

    std::filesystem::path store_;
    std::function<void(const std::string&)> watch_;
    CampaignTable* table_{};
    QTableView* list_{};
    QLineEdit* filter_{};
    std::array<CampaignPane*, 4> panes_{};
    QPlainTextEdit* compared_{};
    std::size_t choices_{}; ///< number of selections so far: comparisons of earlier selections are ignored
    QSplitter* side_by_side_{};
    QPushButton *open_{}, *watch_button_{}, *copy_{}, *save_{}, *print_{};
    QLabel* message_{};
};

} // namespace mediarig::gui
