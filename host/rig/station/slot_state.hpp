// SPDX-License-Identifier: GPL-3.0-or-later
/// How far a slot's medium is on its way through a reader. Pure: everything a rig does with it is an event here first,
/// and what the table does not have is not done. What is written is allowed in one state only, and no path leads there
/// but through the presence handshake of the same power cycle.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace mediarig::rig {

enum class SlotState : std::uint8_t {
    empty,      ///< nothing of it in a reader
    present,    ///< in a reader, never powered there
    powered,    ///< its port has voltage
    identified, ///< exactly one block device appeared with that
    bound,      ///< and went and came back with the voltage
    armed,      ///< guarded against a cut by the board
    busy,       ///< handed out: may be written
    quiesced,   ///< nobody holds it any more; still under voltage
    off,        ///< voltage measured to be gone
    binned,     ///< out of the reader
    fault_rig,  ///< the rig failed with it
    fault_dut,  ///< the medium failed: never appeared, or trips its port
    unknown     ///< nobody knows
};

enum class SlotEvent : std::uint8_t {
    inserted,
    switched_on,
    appeared,
    vanished, ///< with its voltage, as the first half of the handshake
    returned, ///< with its voltage, as the second half
    guarded,
    handed_out,
    released,
    switched_off,
    taken_out,
    failed,   ///< the medium
    jammed,   ///< the rig
    doubted,  ///< power loss, an emergency stop, another hand
    found_in, ///< looked again: it is in the reader
    found_out ///< looked again: it is not
};

struct Slot {
    SlotState state{SlotState::empty};
    bool half_shaken{}; ///< vanished with its voltage, and is to return with it
    bool operator==(const Slot&) const = default;
};

/// Nothing where this may not be.
[[nodiscard]] std::optional<Slot> next(Slot slot, SlotEvent event);

/// Whether something may move into or out of its reader.
[[nodiscard]] constexpr bool may_move(SlotState state) {
    return state == SlotState::empty || state == SlotState::present || state == SlotState::off ||
           state == SlotState::binned;
}
[[nodiscard]] constexpr bool may_write(SlotState state) {
    return state == SlotState::busy;
}

[[nodiscard]] std::string_view name_of(SlotState state); ///< "fault_rig"
[[nodiscard]] std::string_view name_of(SlotEvent event);

} // namespace mediarig::rig
