// SPDX-License-Identifier: GPL-3.0-or-later
/// The report of one campaign: the result of each medium and the tables, with the texts and figures of the report.
#pragma once

#include <QSplitter>
#include <vector>

#include "host/report/cards/card.hpp"
#include "host/report/cards/summary.hpp"

class QPlainTextEdit;
class QTextBrowser;

namespace mediarig::gui {

class CampaignPane final : public QSplitter {
public:
    /// `number`: position among several panes that are next to each other, from 1.
    explicit CampaignPane(int number);
    void show_campaign(const store::CampaignView& campaign);
    void clear();
    /// HTML for printing: first the results, then the tables.
    [[nodiscard]] QString printed() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void draw_cards();

    report::ResultSummary summary_;
    std::vector<report::ReportCard> cards_;
    QTextBrowser* answers_{};
    QPlainTextEdit* tables_{};
};

} // namespace mediarig::gui
