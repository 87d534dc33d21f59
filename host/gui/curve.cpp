// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/gui/curve.hpp"

#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "host/gui/colours.hpp"

namespace mediarig::gui {

Curve::Curve(QWidget* parent) : QWidget(parent) {
    setAccessibleName(QObject::tr("Rate of the last minutes"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize Curve::sizeHint() const {
    return {fontMetrics().averageCharWidth() * 40, fontMetrics().height() * 4};
}

QSize Curve::minimumSizeHint() const {
    return {fontMetrics().averageCharWidth() * 10, fontMetrics().height() * 3};
}

void Curve::show_rates(const std::deque<double>& rates, std::size_t most) {
    if (rates == rates_) return;
    rates_ = rates;
    most_ = std::max<std::size_t>(most, 2);
    update();
}

void Curve::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), palette().base());
    if (rates_.empty()) return;
    const double greatest = *std::max_element(rates_.begin(), rates_.end());
    if (greatest <= 0) return;
    // A margin at the top, so that the maximum is visible.
    const double scale = (height() - 2) / (greatest * 1.1);
    const double step = static_cast<double>(width()) /
                        static_cast<double>(std::min(most_, std::max<std::size_t>(rates_.size(), 60)) - 1);
    painter.setPen(QPen(curve_colour(palette()), 0));
    int column = 0;
    double low = rates_.front(), high = low, last = low;
    const auto draw_column = [&] {
        painter.drawLine(column, height() - 1 - static_cast<int>(std::lround(low * scale)), column,
                         height() - 1 - static_cast<int>(std::lround(high * scale)));
    };
    for (std::size_t i = 0; i < rates_.size(); ++i) {
        const int at = static_cast<int>(static_cast<double>(i) * step);
        for (; column < at; ++column) {
            draw_column();
            // Start at the end of the previous column, so that the line is continuous.
            low = std::min(last, rates_[i]);
            high = std::max(last, rates_[i]);
            last = rates_[i];
        }
        low = std::min(low, rates_[i]);
        high = std::max(high, rates_[i]);
        last = rates_[i];
    }
    draw_column();
}

} // namespace mediarig::gui
