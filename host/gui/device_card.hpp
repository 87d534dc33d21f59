// SPDX-License-Identifier: GPL-3.0-or-later
/// One attached medium as an entry of the list on the start page.
#pragma once

#include <QListWidgetItem>

#include "host/gui/models/attached_medium.hpp"

namespace mediarig::gui {

class DeviceCard final : public QListWidgetItem {
public:
    /// A medium that may not be tested is listed but disabled, with the reason.
    explicit DeviceCard(AttachedMedium attached);
    [[nodiscard]] const AttachedMedium& attached() const { return attached_; }
    /// Takes the text colour from the current palette of the list.
    [[nodiscard]] QVariant data(int role) const override;

private:
    AttachedMedium attached_;
};

} // namespace mediarig::gui
