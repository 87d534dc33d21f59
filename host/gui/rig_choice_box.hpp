// SPDX-License-Identifier: GPL-3.0-or-later
/// Where a person says which rig: one of those that `--rig` knows, or a rig file.
#pragma once

#include <QComboBox>

#include "host/app/rig/rig_route.hpp"

namespace mediarig::gui {

class RigChoiceBox final : public QComboBox {
public:
    /// `none`: it may be left out.
    explicit RigChoiceBox(bool none);
    /// As `--rig` takes it; empty: none.
    [[nodiscard]] QString rig() const;
    /// One that is listed.
    void choose(app::RigKind kind);
};

} // namespace mediarig::gui
