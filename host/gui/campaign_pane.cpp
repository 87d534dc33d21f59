// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/campaign_pane.hpp"

#include <QEvent>
#include <QPlainTextEdit>
#include <QTextBrowser>

#include "host/gui/colours.hpp"
#include "host/gui/monospaced.hpp"
#include "host/report/output/terminal.hpp"

namespace mediarig::gui {
namespace {

QString html(const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped();
}

QString html_of(const report::ReportCard& card, const QPalette& palette) {
    QString text = "<p>";
    if (card.grade)
        text +=
            QString("<span style='background:%1;color:%2;font-weight:bold'>&nbsp;%3&nbsp;</span> ")
                .arg(badge_colour(*card.grade, palette).name(), palette.color(QPalette::Active, QPalette::Base).name(),
                     QString::fromUtf8(measure::name_of(*card.grade).data()));
    text += "<b>" + html(card.title) + "</b><br>" + html(card.verdict) + "</p><table cellpadding=3>";
    for (const report::CardRow& row : card.rows) {
        QStringList lines;
        for (const std::string& line : row.lines) lines += html(line);
        text += "<tr><td><b>" + html(row.title) + "</b></td><td>" + lines.join("<br>") + "</td></tr>";
    }
    return text + "</table>";
}

} // namespace

CampaignPane::CampaignPane(int number) : QSplitter(Qt::Vertical) {
    const QString behind = number == 1 ? QString() : QString::number(number);
    answers_ = new QTextBrowser;
    answers_->setObjectName("cards" + behind);
    answers_->setAccessibleName(QObject::tr("The result of each medium"));
    answers_->setOpenLinks(false);
    tables_ = monospaced(QObject::tr("Tables"));
    tables_->setObjectName("tables" + behind);
    addWidget(answers_);
    addWidget(tables_);
    setSizes({300, 250});
}

void CampaignPane::show_campaign(const store::CampaignView& campaign) {
    cards_.clear();
    for (std::size_t i = 0; i < campaign.devices.size(); ++i) cards_.push_back(report::card_of(campaign, i));
    draw_cards();
    tables_->setPlainText(QString::fromStdString(report::render_tables(campaign, {.width = table_columns})));
}

QString CampaignPane::printed() const {
    // Print on a light background, regardless of the colour scheme.
    QPalette paper;
    paper.setColor(QPalette::Base, Qt::white);
    paper.setColor(QPalette::Text, Qt::black);
    QString text;
    for (const report::ReportCard& card : cards_) text += html_of(card, paper);
    return text + "<pre style='font-size:7pt'>" + tables_->toPlainText().toHtmlEscaped() + "</pre>";
}

void CampaignPane::clear() {
    cards_.clear();
    answers_->clear();
    tables_->clear();
}

void CampaignPane::draw_cards() {
    QString text;
    for (const report::ReportCard& card : cards_) text += html_of(card, palette());
    answers_->setHtml(text);
}

void CampaignPane::changeEvent(QEvent* event) {
    QSplitter::changeEvent(event);
    // The desktop changed between a light and a dark colour scheme.
    if (event->type() == QEvent::PaletteChange && answers_ != nullptr && !cards_.empty()) draw_cards();
}

} // namespace mediarig::gui
