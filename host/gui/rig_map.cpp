// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/rig_map.hpp"

#include <QPainter>
#include <algorithm>

#include "host/gui/colours.hpp"

namespace mediarig::gui {
namespace {

QString told(const std::string& text) {
    return QString::fromStdString(text);
}

/// Cell number `at` of `count` cells of equal width, from left to right.
QRectF cell(const QRectF& row, std::size_t at, std::size_t count) {
    const double width = row.width() / static_cast<double>(count);
    return {row.left() + static_cast<double>(at) * width, row.top(), width, row.height()};
}

void draw_places(QPainter& painter, const QRectF& row, const QString& title, const std::vector<ShownPlace>& places,
                 const ShownPlace* carriage) {
    const double line = painter.fontMetrics().height();
    painter.drawText(QRectF(row.left(), row.top(), row.width(), line), Qt::AlignLeft, title);
    const QRectF boxes(row.left(), row.top() + line, row.width() - 1, row.height() - line - 1);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const QRectF box = cell(boxes, i, places.size());
        QPen pen = painter.pen();
        painter.setPen(QPen(pen.color(), &places[i] == carriage ? 3 : 0));
        painter.drawRect(box.adjusted(1, 1, -1, -1));
        painter.setPen(pen);
        painter.drawText(box, Qt::AlignCenter, told(places[i].name));
    }
}

} // namespace

RigMap::RigMap() {
    setObjectName("map");
    setAccessibleName(QObject::tr("The rig, drawn; its readers are listed below"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize RigMap::sizeHint() const {
    return {fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 14};
}

QSize RigMap::minimumSizeHint() const {
    return {fontMetrics().averageCharWidth() * 80, fontMetrics().height() * 14};
}

void RigMap::show_rig(const ShownRig& rig) {
    rig_ = rig;
    known_ = true;
    update();
}

void RigMap::clear() {
    known_ = false;
    update();
}

void RigMap::paintEvent(QPaintEvent*) {
    if (!known_) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), palette().base());
    painter.setPen(palette().color(QPalette::Text));
    const double line = fontMetrics().height(), wide = width();
    const ShownPlace* const carriage = place_of_carriage(rig_);
    if (rig_.travel > 0 && !rig_.pockets.empty()) {
        draw_rail(painter, {0, 0, wide, line * 3});
        draw_places(painter, {0, line * 3.5, wide, line * 3}, QObject::tr("Magazine"), rig_.pockets, carriage);
    }
    const double right = rig_.pockets.empty() ? wide : wide * 0.64;
    const QRectF readers(0, line * 7, right, line * 6.8);
    painter.drawText(readers, Qt::AlignLeft, QObject::tr("Readers"));
    for (std::size_t i = 0; i < rig_.ports.size(); ++i) {
        const QRectF place = cell(readers.adjusted(0, line, 0, 0), i, rig_.ports.size()).adjusted(1, 1, -3, -1);
        const bool here = i < rig_.readers.size() && &rig_.readers[i] == carriage;
        const QPen pen = painter.pen();
        painter.setPen(QPen(pen.color(), here ? 3 : 0));
        painter.drawRect(place);
        painter.setPen(pen);
        draw_port(painter, place, rig_.ports[i]);
    }
    if (rig_.pockets.empty()) return;
    draw_places(painter, {right + line, line * 7, wide - right - line, line * 3}, QObject::tr("Bins"), rig_.bins,
                carriage);
    if (rig_.nest)
        painter.drawText(QRectF(right + line, line * 11, wide - right - line, line * 2.8),
                         static_cast<int>(Qt::AlignLeft) | Qt::TextWordWrap,
                         QObject::tr("The rig has an identity nest."));
}

void RigMap::draw_rail(QPainter& painter, const QRectF& place) const {
    const double line = fontMetrics().height(), scale = (place.width() - line) / rig_.travel,
                 rail = place.top() + line * 2;
    const auto at = [&](int x) { return place.left() + line / 2 + x * scale; };
    painter.drawLine(QPointF(place.left(), rail), QPointF(place.right(), rail));
    for (const auto* const places : {&rig_.pockets, &rig_.readers, &rig_.bins})
        for (const ShownPlace& each : *places)
            painter.drawLine(QPointF(at(each.x), rail), QPointF(at(each.x), rail + line * 0.6));
    if (!rig_.homed) {
        painter.drawText(place, Qt::AlignLeft,
                         QObject::tr("The position of the carriage is unknown: it is not homed."));
        return;
    }
    const double x = at(std::clamp(rig_.x, 0, rig_.travel));
    painter.setBrush(curve_colour(palette()));
    painter.drawPolygon(QPolygonF({{x, rail}, {x - line / 2, rail - line * 0.8}, {x + line / 2, rail - line * 0.8}}));
    painter.setBrush(Qt::NoBrush);
    const QString what = rig_.holding ? QObject::tr("Carriage, with a card") : QObject::tr("Carriage");
    const double width = painter.fontMetrics().horizontalAdvance(what);
    painter.drawText(QPointF(std::clamp(x - width / 2, place.left(), place.right() - width), place.top() + line * 0.9),
                     what);
}

void RigMap::draw_port(QPainter& painter, const QRectF& place, const ShownPort& port) const {
    const double line = fontMetrics().height();
    const QRectF light(place.left() + line / 3, place.top() + line / 3, line * 0.8, line * 0.8);
    const QColor lit = badge_colour(measure::Grade::pass, palette()),
                 bad = badge_colour(measure::Grade::fail, palette());
    painter.setBrush(port.light == Light::lit ? QBrush(lit) : port.light == Light::blinking ? QBrush(bad) : QBrush());
    painter.drawEllipse(light);
    painter.setBrush(Qt::NoBrush);
    // A text also shows the state of a light.
    const QStringList lines{"    " + QString::number(port.number), told(port.state),
                            QString("%1 V").arg(port.millivolts / 1000.0, 0, 'f', 2),
                            QString("%1 mA").arg(port.milliamperes),
                            port.card ? QObject::tr("card") : QObject::tr("empty")};
    painter.drawText(place.adjusted(line / 3, line / 4, 0, 0), Qt::AlignLeft, lines.join('\n'));
}

} // namespace mediarig::gui
