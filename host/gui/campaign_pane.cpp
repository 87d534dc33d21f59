// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/campaign_pane.hpp"

#include <QEvent>
#include <QPlainTextEdit>
#include <QTextBrowser>
#include <optional>

#include "host/gui/colours.hpp"
#include "host/gui/monospaced.hpp"
#include "host/report/output/terminal.hpp"

namespace mediarig::gui {
namespace {

QString html(const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped();
}

/// The name of the grade on its colour; empty without a grade.
QString badge_of(const std::optional<measure::Grade>& grade, const QPalette& palette) {
    if (!grade) return {};
    return QString("<span style='background:%1;color:%2;font-weight:bold'>&nbsp;%3&nbsp;</span> ")
        .arg(badge_colour(*grade, palette).name(), palette.color(QPalette::Active, QPalette::Base).name(),
             QString::fromUtf8(measure::name_of(*grade).data()));
}

QString cell_of(const std::string& text, bool is_number = false) {
    return QString("<td align='%1'>").arg(is_number ? "right" : "left") + html(text) + "</td>";
}

QString figure_cell(const report::SummaryFigure& figure) {
    const QString text = html(report::text_of(figure));
    return "<td align='right'>" + (figure.best ? "<b>" + text + "*</b>" : text) + "</td>";
}

/// One line for each medium and format.
QString rows_of(const report::SummaryRow& row, const report::ResultSummary& summary, const QPalette& palette) {
    QString rows;
    const QString medium = "<td>" + badge_of(row.grade, palette) + html(row.cause) + "</td>" + cell_of(row.name) +
                           cell_of(row.size, true) + cell_of(row.genuine) +
                           cell_of(row.warnings ? std::to_string(*row.warnings) : "", true);
    for (std::size_t format = 0; format < summary.formats.size(); ++format) {
        if (!row.has_figures(format)) continue;
        rows += "<tr>" + (rows.isEmpty() ? medium : QString("<td></td>").repeated(5)) +
                cell_of(report::format_title(summary.formats[format]));
        for (const report::SummaryFigure& figure : row.figures[format]) rows += figure_cell(figure);
        rows += "</tr>";
    }
    return rows.isEmpty() ? "<tr>" + medium + "</tr>" : rows;
}

QString html_of(const report::ResultSummary& summary, const QPalette& palette) {
    if (summary.rows.empty()) return {};
    QString text = "<table cellpadding=3><tr>";
    for (const QString& title : {QObject::tr("Verdict"), QObject::tr("Name"), QObject::tr("Size"),
                                 QObject::tr("Genuine"), QObject::tr("Warnings")})
        text += "<th align='left'>" + title.toHtmlEscaped() + "</th>";
    if (!summary.columns.empty()) text += "<th align='left'>" + QObject::tr("Format").toHtmlEscaped() + "</th>";
    for (const report::SummaryColumn& column : summary.columns)
        text +=
            "<th align='right'>" + html(std::string(report::text_for(column.access)) + ", " + column.unit) + "</th>";
    text += "</tr>";
    for (const report::SummaryRow& row : summary.rows) text += rows_of(row, summary, palette);
    text += "</table>";
    for (const std::string& line : {summary.source, summary.ranking})
        if (!line.empty()) text += "<p>" + html(line) + "</p>";
    return text;
}

QString html_of(const report::ReportCard& card, const QPalette& palette) {
    QString text = "<p>" + badge_of(card.grade, palette);
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
    summary_ = report::summary_of(campaign);
    for (std::size_t i = 0; i < campaign.devices.size(); ++i) cards_.push_back(report::card_of(campaign, i));
    draw_cards();
    tables_->setPlainText(QString::fromStdString(report::render_tables_only(campaign, {.width = table_columns})));
}

QString CampaignPane::printed() const {
    // Print on a light background, regardless of the colour scheme.
    QPalette paper;
    paper.setColor(QPalette::Base, Qt::white);
    paper.setColor(QPalette::Text, Qt::black);
    QString text = html_of(summary_, paper);
    for (const report::ReportCard& card : cards_) text += html_of(card, paper);
    return text + "<pre style='font-size:7pt'>" + tables_->toPlainText().toHtmlEscaped() + "</pre>";
}

void CampaignPane::clear() {
    cards_.clear();
    summary_ = {};
    answers_->clear();
    tables_->clear();
}

void CampaignPane::draw_cards() {
    QString text = html_of(summary_, palette());
    for (const report::ReportCard& card : cards_) text += html_of(card, palette());
    answers_->setHtml(text);
}

void CampaignPane::changeEvent(QEvent* event) {
    QSplitter::changeEvent(event);
    // The desktop changed between a light and a dark colour scheme.
    if (event->type() == QEvent::PaletteChange && answers_ != nullptr && !cards_.empty()) draw_cards();
}

} // namespace mediarig::gui
