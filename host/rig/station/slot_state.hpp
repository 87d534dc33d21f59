// SPDX-License-Identifier: GPL-3.0-or-later
/// State of a slot's medium on its way through a reader. Pure: every action of a rig is first an event here, and an
/// action without an entry in the table is not performed. Writing is allowed in one state only, which can be reached
/// only through the presence handshake of the same power cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "host/base/enum_names.hpp"

namespace mediarig::rig {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(SlotState, std::uint8_t,
                              empty,      ///< the medium is in no reader
                              present,    ///< the medium is in a reader, not powered there yet
                              powered,    ///< the medium's port has voltage
                              identified, ///< exactly one block device appeared with the voltage
                              bound,      ///< this device also disappeared and returned with the voltage
                              armed,      ///< the board protects the medium against a power cut
                              busy,       ///< the medium was handed out and may be written
                              quiesced,   ///< the medium was released, and is still under voltage
                              off,        ///< the voltage was measured to be gone
                              binned,     ///< the medium was moved out of the reader
                              fault_rig,  ///< a fault of the rig
                              fault_dut,  ///< a fault of the medium: it never appeared, or trips its port
                              unknown     ///< the state is not known
)

BOOST_DEFINE_FIXED_ENUM_CLASS(SlotEvent, std::uint8_t, inserted, switched_on, appeared,
                              vanished, ///< the medium disappeared with its voltage: first half of the handshake
                              returned, ///< the medium returned with its voltage: second half of the handshake
                              guarded, handed_out, released, switched_off, taken_out,
                              failed,   ///< fault of the medium
                              jammed,   ///< fault of the rig
                              doubted,  ///< power loss, emergency stop, or external intervention
                              found_in, ///< checked again: the medium is in the reader
                              found_out ///< checked again: the medium is not in the reader
)

struct Slot {
    SlotState state{SlotState::empty};
    bool half_shaken{}; ///< the medium disappeared with its voltage, and must return with it
    bool operator==(const Slot&) const = default;
};

/// Returns the next state; nothing if the event is not allowed.
[[nodiscard]] std::optional<Slot> next(Slot slot, SlotEvent event);

/// True if a card may move into or out of its reader.
[[nodiscard]] constexpr bool may_move(SlotState state) {
    return state == SlotState::empty || state == SlotState::present || state == SlotState::off ||
           state == SlotState::binned;
}
[[nodiscard]] constexpr bool may_write(SlotState state) {
    return state == SlotState::busy;
}

} // namespace mediarig::rig
