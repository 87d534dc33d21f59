// SPDX-License-Identifier: GPL-3.0-or-later
/// The widgets of one medium under test.
#pragma once

#include "host/gui/models/campaign_model.hpp"

class QGroupBox;
class QLabel;
class QProgressBar;

namespace mediarig::gui {

class Curve;

class LaneRow {
public:
    LaneRow();
    void show(const Lane& lane) const;
    /// Holds the others. It belongs to whoever shows it.
    [[nodiscard]] QGroupBox* box() const { return box_; }

private:
    QGroupBox* box_;
    QLabel *identity_, *what_, *figures_;
    QProgressBar* bar_;
    Curve* curve_;
};

} // namespace mediarig::gui
