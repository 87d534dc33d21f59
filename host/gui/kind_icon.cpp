// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/kind_icon.hpp"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>

namespace mediarig::gui {
namespace {

/// The shape in a square of 16 by 16.
QPainterPath shape_of(media::Transport transport) {
    QPainterPath path;
    switch (transport) {
        case media::Transport::mmc: // cut corner and contacts
            path.addPolygon(QPolygonF({{3, 1}, {10, 1}, {13, 4}, {13, 15}, {3, 15}, {3, 1}}));
            for (const double x : {4.5, 6.5, 8.5}) path.addRect(x, 3, 1, 2.5);
            break;
        case media::Transport::usb: // plug with two holes
            path.addRoundedRect(4, 6, 8, 9, 1.5, 1.5);
            path.addRect(5, 1, 6, 5);
            for (const double x : {6.3, 8.5}) path.addRect(x, 2.8, 1.2, 1.2);
            break;
        case media::Transport::loop: // sheet with a folded corner
            path.addPolygon(QPolygonF({{3, 1}, {9, 1}, {13, 5}, {13, 15}, {3, 15}, {3, 1}}));
            path.addPolygon(QPolygonF({{9, 1}, {9, 5}, {13, 5}}));
            break;
        default: // case with a platter
            path.addRoundedRect(2, 1, 12, 14, 1.5, 1.5);
            path.addEllipse(4, 2.5, 8, 8);
            path.addEllipse(7, 5.5, 2, 2);
    }
    return path;
}

class KindIcon final : public QIconEngine {
public:
    explicit KindIcon(media::Transport transport) : transport_(transport) {}
    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
        const auto role = mode == QIcon::Selected ? QPalette::HighlightedText : QPalette::Text;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->translate(rect.topLeft());
        painter->scale(rect.width() / 16.0, rect.height() / 16.0);
        painter->setPen(QPen(QApplication::palette().color(group, role), 0.8));
        painter->drawPath(shape_of(transport_));
        painter->restore();
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap drawn(size);
        drawn.fill(Qt::transparent);
        QPainter painter(&drawn);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return drawn;
    }
    [[nodiscard]] QIconEngine* clone() const override { return new KindIcon(*this); }

private:
    media::Transport transport_;
};

} // namespace

QIcon icon_of(media::Transport transport) {
    return QIcon(new KindIcon(transport));
}

} // namespace mediarig::gui
