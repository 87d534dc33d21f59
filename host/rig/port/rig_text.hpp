// SPDX-License-Identifier: GPL-3.0-or-later
/// What the board's codes are called, and what they mean for a person.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/rigproto/messages.hpp"
#include "host/rig/port/place.hpp"

namespace mediarig::rig {

// Stable names, as in messages.hpp: for JSON and records. A number that has no name: "unlisted".
[[nodiscard]] std::string_view name_of(rigproto::Op op);
[[nodiscard]] std::string_view name_of(rigproto::Reject reject);
[[nodiscard]] std::string_view name_of(rigproto::Interlock interlock); ///< by which the scripts of faults tell it
[[nodiscard]] std::string_view name_of(rigproto::Fault fault);
[[nodiscard]] std::string_view name_of(rigproto::State state);
[[nodiscard]] std::string_view name_of(rigproto::PortState state);
[[nodiscard]] std::string_view name_of(rigproto::ResetReason reason);
[[nodiscard]] std::string_view name_of(rigproto::JobStage stage);
[[nodiscard]] std::string_view name_of(rigproto::EventKind kind);
[[nodiscard]] std::string_view name_of(rigproto::Bin bin);
[[nodiscard]] std::optional<rigproto::Bin> bin_named(std::string_view name);

/// "into pocket 3", "into bin fail".
[[nodiscard]] std::string told(const Destination& to);

/// What happened and what to do, without a full stop: "port 3 was switched off: short circuit; take the card out and
/// look at it". Pockets and ports count from 1 here.
[[nodiscard]] std::string explain(rigproto::Fault fault, std::uint8_t detail);
/// Why nothing is believed that a medium did in this port's reader.
[[nodiscard]] std::string lost_voltage(Port port);
/// Why the board did not begin: "the rig is not homed; run mediarig rig home".
[[nodiscard]] std::string explain(rigproto::Rejection rejection);
/// Why a board whose HELLO tells this hash of the pin map is not to be driven, and what to do, on one line; nothing:
/// its firmware was made from the map that this program knows, or it has no pins (0: a simulated board).
[[nodiscard]] std::optional<std::string> explain_pin_map(std::uint32_t told);

} // namespace mediarig::rig
