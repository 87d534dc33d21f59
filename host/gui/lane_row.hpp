// SPDX-License-Identifier: GPL-3.0-or-later
/// The widgets of one medium under test.
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
        small ///< for many side by side: its name is a button that asks for the whole one
    };
    explicit LaneRow(Form form = Form::whole, std::function<void()> chosen = {});
    void show(const Lane& lane) const;
    /// Holds the others. It belongs to whoever shows it.
    [[nodiscard]] QGroupBox* box() const { return box_; }

private:
    Form form_;
    QGroupBox* box_;
    QPushButton* name_{}; ///< of a small one
    QLabel *identity_, *what_, *figures_;
    QProgressBar* bar_;
    Curve* curve_;
};

} // namespace mediarig::gui
