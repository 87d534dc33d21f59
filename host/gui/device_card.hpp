// SPDX-License-Identifier: GPL-3.0-or-later
/// One attached medium as an entry of the list on the start page.
#pragma once

#include <QListWidgetItem>

#include "host/gui/models/attached.hpp"

namespace mediarig::gui {

class DeviceCard final : public QListWidgetItem {
public:
    /// One that may not be tested is there, cannot be chosen, and says why.
    explicit DeviceCard(Attached attached);
    [[nodiscard]] const Attached& attached() const { return attached_; }
    /// Its colour is that of the list's palette at the moment.
    [[nodiscard]] QVariant data(int role) const override;

private:
    Attached attached_;
};

} // namespace mediarig::gui
