// SPDX-License-Identifier: GPL-3.0-or-later
/// All campaigns of the store, and the report of the one that is chosen, or of several side by side.
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
    /// `watch` is called with the id of a campaign that runs.
    ResultsPage(std::filesystem::path store, std::function<void(const std::string&)> watch);
    ~ResultsPage() override;
    /// Reads the store again; shows `campaign` where it is given.
    void refresh(const std::string& campaign = {});
    void focus_filter();
    /// What is shown, as a file: its suffix (pdf, png, csv, else text) says how. Tells on the page how that went.
    void save(const QString& file);
    /// What is shown, as the terminal prints it, as `mediarig results --csv` writes it, and as it looks.
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString csv() const;
    [[nodiscard]] QPixmap picture() const;

private:
    void show_chosen();
    /// Ids, as they stand in the list.
    [[nodiscard]] std::vector<std::string> chosen() const;
    /// Of those the ones for which there is room.
    [[nodiscard]] std::vector<std::string> shown_ids() const;
    [[nodiscard]] std::unique_ptr<QTextDocument> printed() const;
    void copy_text();
    void ask_where();
    void print();
    /// What `mediarig compare --media` says of several campaigns.
    void compare(const std::vector<std::string>& ids);

    std::filesystem::path store_;
    std::function<void(const std::string&)> watch_;
    CampaignTable* table_{};
    QTableView* list_{};
    QLineEdit* filter_{};
    std::array<CampaignPane*, 4> panes_{};
    QPlainTextEdit* compared_{};
    std::size_t choices_{}; ///< made so far: a comparison of an earlier one is not shown
    QSplitter* side_by_side_{};
    QPushButton *open_{}, *watch_button_{}, *copy_{}, *save_{}, *print_{};
    QLabel* told_{};
};

} // namespace mediarig::gui
