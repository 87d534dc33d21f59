// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/layout_bar.hpp"

#include <QMouseEvent>
#include <QPainter>
#include <utility>

namespace mediarig::gui {

LayoutBar::LayoutBar(std::function<void(std::size_t)> chosen) : chosen_(std::move(chosen)) {
    setObjectName("layout");
    setAccessibleName(QObject::tr("Regions of the medium, drawn; they are listed below"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize LayoutBar::sizeHint() const {
    return {fontMetrics().averageCharWidth() * 60, fontMetrics().height() * 4};
}

QSize LayoutBar::minimumSizeHint() const {
    return {fontMetrics().averageCharWidth() * 30, fontMetrics().height() * 4};
}

void LayoutBar::show_regions(std::vector<report::DrawnRegion> regions) {
    regions_ = std::move(regions);
    update();
}

void LayoutBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (regions_.empty()) return;
    const double scale = (width() - 1) / 100.0;
    const double upper = height() / 4.0, lower = height() / 2.0, bottom = height() - 1;
    painter.fillRect(QRectF(0, 0, width(), upper), palette().base());
    painter.fillRect(QRectF(0, lower, width(), bottom - lower), palette().base());
    painter.setPen(QPen(palette().color(QPalette::Text), 0));
    for (const report::DrawnRegion& each : regions_) {
        const QRectF place(each.at * scale, lower, each.width * scale, bottom - lower);
        painter.drawRect(QRectF(each.true_at * scale, 0, each.true_width * scale, upper));
        painter.drawRect(place);
        painter.drawLine(QPointF(each.true_at * scale, upper), place.topLeft());
        painter.drawText(place, Qt::AlignCenter, QString::fromStdString(each.letter));
    }
}

void LayoutBar::mousePressEvent(QMouseEvent* event) {
    const double per_cent = event->position().x() * 100.0 / (width() - 1);
    // A click on the upper bar selects the region at the true position on the medium.
    const bool to_scale = event->position().y() < height() / 4.0;
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        const report::DrawnRegion& each = regions_[i];
        const double begin = to_scale ? each.true_at : each.at, length = to_scale ? each.true_width : each.width;
        if (per_cent >= begin && per_cent < begin + length) return chosen_(i);
    }
}

} // namespace mediarig::gui
