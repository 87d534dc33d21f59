// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/slot_state.hpp"

#include <array>

namespace mediarig::rig {
namespace {

using S = SlotState;
using E = SlotEvent;

struct Edge {
    S from;
    E event;
    S to;
};

constexpr std::array edges{
    Edge{S::empty, E::inserted, S::present},
    Edge{S::binned, E::inserted, S::present},
    Edge{S::present, E::switched_on, S::powered},
    Edge{S::off, E::switched_on, S::powered},
    Edge{S::powered, E::appeared, S::identified},
    Edge{S::identified, E::vanished, S::off},
    Edge{S::powered, E::returned, S::bound},
    Edge{S::bound, E::guarded, S::armed},
    Edge{S::armed, E::handed_out, S::busy},
    // From every state in which the medium is used: release the medium first, then switch it off.
    Edge{S::powered, E::released, S::quiesced},
    Edge{S::identified, E::released, S::quiesced},
    Edge{S::bound, E::released, S::quiesced},
    Edge{S::armed, E::released, S::quiesced},
    Edge{S::busy, E::released, S::quiesced},
    Edge{S::fault_dut, E::released, S::quiesced},
    Edge{S::quiesced, E::switched_off, S::off},
    Edge{S::off, E::taken_out, S::binned},
    Edge{S::present, E::taken_out, S::binned},
    Edge{S::present, E::failed, S::fault_dut},
    Edge{S::powered, E::failed, S::fault_dut},
    Edge{S::identified, E::failed, S::fault_dut},
    Edge{S::off, E::failed, S::fault_dut},
    Edge{S::bound, E::failed, S::fault_dut},
    Edge{S::busy, E::failed, S::fault_dut},
    // The slot was checked again after the voltage was measured to be gone.
    Edge{S::unknown, E::found_in, S::present},
    Edge{S::unknown, E::found_out, S::empty},
    Edge{S::fault_rig, E::found_in, S::present},
    Edge{S::fault_rig, E::found_out, S::empty},
};

} // namespace

std::optional<Slot> next(Slot slot, SlotEvent event) {
    if (event == E::jammed) return Slot{S::fault_rig, false};
    if (event == E::doubted) return Slot{S::unknown, false};
    // A medium can return only after it disappeared, and otherwise counts as new.
    if (event == E::returned && !slot.half_shaken) return std::nullopt;
    for (const Edge& edge : edges) {
        if (edge.from != slot.state || edge.event != event) continue;
        const bool between_the_halves = event == E::vanished || (event == E::switched_on && slot.half_shaken);
        return Slot{edge.to, between_the_halves};
    }
    return std::nullopt;
}

} // namespace mediarig::rig
