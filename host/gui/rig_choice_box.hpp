// SPDX-License-Identifier: GPL-3.0-or-later
/// Selects a rig: one of the words for `--rig`, or a rig file.
#pragma once

#include <QComboBox>

#include "host/app/rig/rig_route.hpp"

namespace mediarig::gui {

class RigChoiceBox final : public QComboBox {
public:
    /// `none`: adds an entry that means no rig.
    explicit RigChoiceBox(bool none);
    /// The value for `--rig`; empty means no rig.
    [[nodiscard]] QString rig() const;
    /// Selects an entry of the list.
    void choose(app::RigKind kind);
};

} // namespace mediarig::gui
