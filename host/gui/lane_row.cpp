// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/lane_row.hpp"

#include <fmt/format.h>

#include <QGroupBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "host/cli/text/progress.hpp"
#include "host/cli/text/text.hpp"
#include "host/gui/curve.hpp"
#include "host/gui/question_text.hpp"

namespace mediarig::gui {
namespace {

QString line_of(const cli::ProgressLine& line) {
    QString text = QString::fromStdString(line.what);
    if (!line.phase.empty()) text += ": " + QString::fromStdString(line.phase);
    if (line.cells > 0) text += QString(" (%1/%2)").arg(line.cell).arg(line.cells);
    return text;
}

QString identity_of(const Lane& lane) {
    if (!lane.celsius) return QString::fromStdString(lane.identity);
    return QString::fromStdString(
        fmt::format("{}{}{:.0f} °C", lane.identity, lane.identity.empty() ? "" : ", ", *lane.celsius));
}

} // namespace

LaneRow::LaneRow(Form form, std::function<void()> chosen)
    : form_(form),
      box_(new QGroupBox),
      identity_(new QLabel(box_)),
      what_(new QLabel(box_)),
      figures_(new QLabel(box_)),
      bar_(new QProgressBar(box_)),
      curve_(new Curve(box_)) {
    auto* const rows = new QVBoxLayout(box_);
    for (QLabel* label : {identity_, what_, figures_}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    bar_->setRange(0, 1000);
    bar_->setAccessibleName(QObject::tr("Progress of the step"));
    if (form_ == Form::small) {
        name_ = new QPushButton(box_);
        name_->setFlat(true);
        name_->setToolTip(QObject::tr("Show all details"));
        QObject::connect(name_, &QPushButton::clicked, box_, [chosen = std::move(chosen)] { chosen(); });
        for (QWidget* each :
             {static_cast<QWidget*>(name_), static_cast<QWidget*>(figures_), static_cast<QWidget*>(curve_)})
            rows->addWidget(each);
        rows->setContentsMargins(2, 2, 2, 2);
        rows->setSpacing(0);
        curve_->setFixedHeight(box_->fontMetrics().height() * 2);
        for (QWidget* each :
             {static_cast<QWidget*>(identity_), static_cast<QWidget*>(what_), static_cast<QWidget*>(bar_)})
            each->hide();
        return;
    }
    auto* const line = new QHBoxLayout;
    line->addWidget(what_, 1);
    line->addWidget(figures_, 1);
    figures_->setAlignment(Qt::AlignRight);
    rows->addWidget(identity_);
    rows->addLayout(line);
    rows->addWidget(bar_);
    rows->addWidget(curve_);
}

void LaneRow::show(const Lane& lane) const {
    const QString name = QString::fromStdString(lane.medium).replace('&', "&&");
    box_->setAccessibleName(QString::fromStdString(lane.medium));
    curve_->show_rates(lane.rates, CampaignModel::most_rates);
    const bool runs = lane.step.has_value();
    QString rate;
    if (runs && lane.line.rate) rate = QString::fromStdString(cli::readable_rate(*lane.line.rate));
    if (form_ == Form::small) {
        name_->setText(name);
        const QString what = runs ? QString::fromStdString(lane.line.what) : QObject::tr("waits");
        // A rate is short and changes often: with word wrap, each change would require a new layout of all lanes.
        if (const bool is_long = rate.isEmpty(); figures_->wordWrap() != is_long) figures_->setWordWrap(is_long);
        figures_->setText(lane.grade       ? QString::fromUtf8(measure::name_of(*lane.grade).data())
                          : rate.isEmpty() ? what
                                           : rate);
        if (QFont font = figures_->font(); font.bold() != lane.grade.has_value()) {
            font.setBold(lane.grade.has_value());
            figures_->setFont(font);
        }
        return;
    }
    box_->setTitle(name);
    identity_->setText(identity_of(lane));
    identity_->setVisible(!identity_->text().isEmpty());
    bar_->setValue(static_cast<int>(std::lround(lane.line.fraction.value_or(0) * 1000)));
    bar_->setVisible(runs);
    QStringList figures;
    if (!rate.isEmpty()) figures += rate;
    if (runs && lane.line.left) figures += text_of_left(*lane.line.left, lane.line.left_within);
    figures_->setText(figures.join(", "));
    if (lane.grade)
        what_->setText(QString::fromUtf8(measure::name_of(*lane.grade).data()) + "  " +
                       QString::fromStdString(lane.verdict));
    else
        what_->setText(runs ? line_of(lane.line) : QObject::tr("waits"));
}

} // namespace mediarig::gui
