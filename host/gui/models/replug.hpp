// SPDX-License-Identifier: GPL-3.0-or-later
/// Tracks a medium during a dialog: whether it stays attached, was pulled and put back, or was replaced. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "host/gui/models/attached_medium.hpp"

namespace mediarig::gui {

class Replug {
public:
    enum class State : std::uint8_t {
        there,   ///< unchanged
        pulled,  ///< missing
        back,    ///< the same medium was put back
        another, ///< replaced by another medium: the confirmation becomes void
    };
    explicit Replug(AttachedMedium medium) : medium_(std::move(medium)) {}

    /// `now`: the attached media. The state `another` is final.
    State look(std::vector<AttachedMedium> now);
    /// The medium as currently attached.
    [[nodiscard]] const AttachedMedium& medium() const { return medium_; }
    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] bool looked() const { return looked_; }
    /// The medium that replaced the original medium.
    [[nodiscard]] const AttachedMedium& other() const { return other_; }

private:
    AttachedMedium medium_, other_;
    State state_{};
    std::vector<std::string> beside_; ///< presences of all media attached at the first check
    bool looked_{};
};

} // namespace mediarig::gui
