// SPDX-License-Identifier: GPL-3.0-or-later
/// Names of the board's codes and explanations for users.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/rigproto/messages.hpp"
#include "host/base/enum_names.hpp"
#include "host/rig/port/place.hpp"

namespace mediarig::rigproto {

// The names for JSON, records and fault scripts.
using mediarig::name_of;
BOOST_DESCRIBE_ENUM(Op, hello, heartbeat, config, status, job_status, clock, port_status, counters, nest,
                    nest_registers, bye, home, load, unload, power, clear, jog, park, guard, bootloader, nest_read,
                    identify, empty)
BOOST_DESCRIBE_ENUM(Reject, none, no_session, unknown_op, bad_payload, out_of_range, unconfigured, not_homed, busy,
                    events_full, job_reused, job_too_old, latched, interlock, lease_lost, read_only, stale,
                    session_held)
BOOST_DESCRIBE_ENUM(Interlock, none, port_powered, no_card, card_present, z_not_retracted, port_guarded, safety_open,
                    pump_running, port_settling, reader_unproven, carriage_jumper, pocket_occupied)
BOOST_DESCRIBE_ENUM(Fault, none, estop, stopped, lease, watchdog, x_home_not_found, x_home_stuck, x_home_unrepeatable,
                    z_home_not_found, z_home_stuck, z_home_unrepeatable, jam, pick_missed, card_dropped, insert_failed,
                    eject_failed, port_short, port_overload, port_welded, port_no_voltage, port_not_discharged,
                    card_pulled, driver_fault, internal, card_clings, pocket_occupied)
BOOST_DESCRIBE_ENUM(State, boot, unhomed, homing, ready, moving, parked, latched)
BOOST_DESCRIBE_ENUM(PortState, off, inrush, on, discharging, tripped)
BOOST_DESCRIBE_ENUM(ResetReason, power_on, watchdog, brown_out, request)
BOOST_DESCRIBE_ENUM(JobStage, idle, retracting, travelling, reaching, picking, lifting, checking, releasing, switching,
                    homing_z, homing_x)
BOOST_DESCRIBE_ENUM(EventKind, reset, job_accepted, job_progress, job_done, job_failed, card, port, fault, cleared,
                    lease_lost)
BOOST_DESCRIBE_ENUM(Bin, pass, fail, retest, unknown)

} // namespace mediarig::rigproto

namespace mediarig::rig {

using mediarig::name_of;

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
