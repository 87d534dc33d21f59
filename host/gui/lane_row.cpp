// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/lane_row.hpp"

#include <QGroupBox>
#include <QLabel>
#include <QProgressBar>
#include <QVBoxLayout>
#include <cmath>

#include "host/cli/progress_line.hpp"
#include "host/cli/text.hpp"
#include "host/gui/curve.hpp"

namespace mediarig::gui {
namespace {

QString line_of(const cli::ProgressLine& line) {
    QString text = QString::fromStdString(line.what);
    if (!line.phase.empty()) text += ": " + QString::fromStdString(line.phase);
    if (line.cells > 0) text += QString(" (%1/%2)").arg(line.cell).arg(line.cells);
    return text;
}

} // namespace

LaneRow::LaneRow()
    : box_(new QGroupBox),
      identity_(new QLabel),
      what_(new QLabel),
      figures_(new QLabel),
      bar_(new QProgressBar),
      curve_(new Curve) {
    auto* const rows = new QVBoxLayout(box_);
    for (QLabel* label : {identity_, what_, figures_}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
    }
    bar_->setRange(0, 1000);
    bar_->setAccessibleName(QObject::tr("Progress of the step"));
    auto* const line = new QHBoxLayout;
    line->addWidget(what_, 1);
    line->addWidget(figures_);
    rows->addWidget(identity_);
    rows->addLayout(line);
    rows->addWidget(bar_);
    rows->addWidget(curve_);
}

void LaneRow::show(const Lane& lane) const {
    box_->setTitle(QString::fromStdString(lane.medium).replace('&', "&&"));
    box_->setAccessibleName(QString::fromStdString(lane.medium));
    identity_->setText(QString::fromStdString(lane.identity));
    bar_->setValue(static_cast<int>(std::lround(lane.line.fraction.value_or(0) * 1000)));
    bar_->setVisible(lane.step.has_value());
    QString left;
    if (lane.step && lane.line.rate) left = QString::fromStdString(cli::readable_rate(*lane.line.rate));
    if (lane.step && lane.line.left)
        left += QObject::tr(", %1 left").arg(QString::fromStdString(cli::readable_time(lane.line.left->count())));
    figures_->setText(left);
    if (lane.grade)
        what_->setText(QString::fromUtf8(measure::name_of(*lane.grade).data()) + "  " +
                       QString::fromStdString(lane.verdict));
    else
        what_->setText(lane.step ? line_of(lane.line) : QObject::tr("waits"));
    curve_->show_rates(lane.rates, CampaignModel::most_rates);
}

} // namespace mediarig::gui
