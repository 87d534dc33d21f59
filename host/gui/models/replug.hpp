// SPDX-License-Identifier: GPL-3.0-or-later
/// A medium that is asked about: whether it is still there, was pulled and put back, or another one came in its place.
/// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "host/gui/models/attached.hpp"

namespace mediarig::gui {

class Replug {
public:
    enum class State : std::uint8_t {
        there,   ///< as it was when it was asked about
        pulled,  ///< gone
        back,    ///< gone and there again, the same one
        another, ///< gone, and something else is in its place: nothing is confirmed any more
    };
    explicit Replug(Attached medium) : medium_(std::move(medium)) {}

    /// `now`: what is attached. What it said once of another medium it goes on saying.
    State look(std::vector<Attached> now);
    /// As it is attached now.
    [[nodiscard]] const Attached& medium() const { return medium_; }
    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] bool looked() const { return looked_; }
    /// What came in its place.
    [[nodiscard]] const Attached& other() const { return other_; }

private:
    Attached medium_, other_;
    State state_{};
    std::vector<std::string> beside_; ///< presences of all that was attached at the first look
    bool looked_{};
};

} // namespace mediarig::gui
