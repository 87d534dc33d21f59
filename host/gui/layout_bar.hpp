// SPDX-License-Identifier: GPL-3.0-or-later
/// Paints the regions of a medium as two bars, as on the report's page. The upper bar is drawn to scale, the lower bar
/// is stretched so that each region shows its letter. Reports clicks on regions.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "host/report/charts/layout_drawing.hpp"

namespace mediarig::gui {

class LayoutBar final : public QWidget {
public:
    explicit LayoutBar(std::function<void(std::size_t region)> chosen);
    void show_regions(std::vector<report::DrawnRegion> regions);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    std::function<void(std::size_t)> chosen_;
    std::vector<report::DrawnRegion> regions_;
};

} // namespace mediarig::gui
