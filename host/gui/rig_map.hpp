// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig drawn from above: the magazine, the readers with their lights, the bins and the carriage.
#pragma once

#include <QWidget>

#include "host/gui/models/shown_rig.hpp"

class QPainter;

namespace mediarig::gui {

class RigMap final : public QWidget {
public:
    RigMap();
    void show_rig(const ShownRig& rig);
    void clear();
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void draw_rail(QPainter& painter, const QRectF& place) const;
    void draw_port(QPainter& painter, const QRectF& place, const ShownPort& port) const;

    ShownRig rig_;
    bool known_{};
};

} // namespace mediarig::gui
