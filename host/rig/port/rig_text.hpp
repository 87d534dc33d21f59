// SPDX-License-Identifier: GPL-3.0-or-later
/// Names of the board's codes and explanations for users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/rigproto/messages.hpp"
#include "host/rig/port/place.hpp"

namespace mediarig::rig {

// Stable names, as in messages.hpp, for JSON and records. A number without a name: "unlisted".
[[nodiscard]] std::string_view name_of(rigproto::Op op);
[[nodiscard]] std::string_view name_of(rigproto::Reject reject);
[[nodiscard]] std::string_view name_of(rigproto::Interlock interlock); ///< as used in fault scripts
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

/// Explains the fault and the remedy, without a full stop: "port 3 was switched off: short circuit; take the card out
/// and look at it". Pockets and ports count from 1 here.
[[nodiscard]] std::string explain(rigproto::Fault fault, std::uint8_t detail);
/// Explains why results of a medium in this port's reader are not valid.
[[nodiscard]] std::string lost_voltage(PortIndex port);
/// Explains why the board did not start the job: "the rig is not homed; run mediarig rig home".
[[nodiscard]] std::string explain(rigproto::Rejection rejection);
/// Explains in one line why a board whose HELLO contains this hash of the pin map must not be driven, and the remedy.
/// Nothing if the firmware was built with the map of this program, or the board has no pins (0: a simulated board).
[[nodiscard]] std::optional<std::string> explain_pin_map(std::uint32_t told);

} // namespace mediarig::rig
