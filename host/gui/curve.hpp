// SPDX-License-Identifier: GPL-3.0-or-later
/// Plots rates: the minimum and maximum of each column of pixels.
#pragma once

#include <QWidget>
#include <deque>

namespace mediarig::gui {

class Curve final : public QWidget {
public:
    explicit Curve(QWidget* parent = nullptr);
    /// Rates in bytes per second, the newest last; the axis starts at zero. `most` points fill the width.
    void show_rates(const std::deque<double>& rates, std::size_t most);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::deque<double> rates_;
    std::size_t most_{1};
};

} // namespace mediarig::gui
