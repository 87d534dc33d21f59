// SPDX-License-Identifier: GPL-3.0-or-later
/// Widgets of one medium under test.
#pragma once

#include <cstdint>
#include <functional>

#include "host/gui/models/campaign_model.hpp"

class QGroupBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace mediarig::gui {

class Curve;

class LaneRow {
public:
    enum class Form : std::uint8_t {
        whole,
        small ///< for many lanes next to each other: the name is a button that shows the whole lane
    };
    explicit LaneRow(Form form = Form::whole, std::function<void()> chosen = {});
    void show(const Lane& lane) const;
    /// The widget that contains the other widgets. The parent widget owns it.
    [[nodiscard]] QGroupBox* box() const { return box_; }

private:
    Form form_;
    QGroupBox* box_;
    QPushButton* name_{}; ///< null except in the small form
    QLabel *identity_, *what_, *figures_;
    QProgressBar* bar_;
    Curve* curve_;
};

} // namespace mediarig::gui
