// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/layout_bar.hpp"

#include <QPainter>
#include <utility>

namespace mediarig::gui {

LayoutBar::LayoutBar() {
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

} // namespace mediarig::gui
