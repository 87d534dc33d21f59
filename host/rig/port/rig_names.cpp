// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>

#include "host/rig/port/rig_text.hpp"
#include "hw/pins.hpp"

namespace mediarig::rig {
namespace {

constexpr std::string_view unlisted_name = "unlisted";

/// Names of an enumeration whose first value is `first`.
template <class Enum, std::size_t size>
std::string_view name_in(const std::array<std::string_view, size>& names, Enum value, std::size_t first = 0) {
    const auto index = static_cast<std::size_t>(value);
    return index < first || index - first >= size ? unlisted_name : names[index - first];
}

constexpr std::array<std::string_view, 4> bins{"pass", "fail", "retest", "unknown"};

} // namespace

std::string_view name_of(rigproto::Op op) {
    constexpr std::array<std::string_view, 11> looking{"hello",      "heartbeat",      "config",      "status",
                                                       "job_status", "clock",          "port_status", "counters",
                                                       "nest",       "nest_registers", "bye"};
    constexpr std::array<std::string_view, 12> acting{"home", "load",  "unload",     "power",     "clear",    "jog",
                                                      "park", "guard", "bootloader", "nest_read", "identify", "empty"};
    return rigproto::changes_state(op) ? name_in(acting, op, 0x10) : name_in(looking, op, 0x01);
}

std::string_view name_of(rigproto::Reject reject) {
    constexpr std::array<std::string_view, 17> names{
        "none",      "no_session", "unknown_op",  "bad_payload", "out_of_range", "unconfigured",
        "not_homed", "busy",       "events_full", "job_reused",  "job_too_old",  "latched",
        "interlock", "lease_lost", "read_only",   "stale",       "session_held"};
    return name_in(names, reject);
}

std::string_view name_of(rigproto::Interlock interlock) {
    constexpr std::array<std::string_view, 11> names{
        "none",        "port_powered", "no_card",       "card_present",    "z_not_retracted", "port_guarded",
        "safety_open", "pump_running", "port_settling", "reader_unproven", "carriage_jumper"};
    return name_in(names, interlock);
}

std::string_view name_of(rigproto::Fault fault) {
    constexpr std::array<std::string_view, 24> names{"none",
                                                     "estop",
                                                     "stopped",
                                                     "lease",
                                                     "watchdog",
                                                     "x_home_not_found",
                                                     "x_home_stuck",
                                                     "x_home_unrepeatable",
                                                     "z_home_not_found",
                                                     "z_home_stuck",
                                                     "z_home_unrepeatable",
                                                     "jam",
                                                     "pick_missed",
                                                     "card_dropped",
                                                     "insert_failed",
                                                     "eject_failed",
                                                     "port_short",
                                                     "port_overload",
                                                     "port_welded",
                                                     "port_no_voltage",
                                                     "port_not_discharged",
                                                     "card_pulled",
                                                     "driver_fault",
                                                     "internal"};
    static_assert(names.size() == static_cast<std::size_t>(rigproto::Fault::internal) + 1);
    return name_in(names, fault);
}

std::string_view name_of(rigproto::State state) {
    constexpr std::array<std::string_view, 7> names{"boot",   "unhomed", "homing", "ready",
                                                    "moving", "parked",  "latched"};
    return name_in(names, state);
}

std::string_view name_of(rigproto::PortState state) {
    constexpr std::array<std::string_view, 5> names{"off", "inrush", "on", "discharging", "tripped"};
    return name_in(names, state);
}

std::string_view name_of(rigproto::ResetReason reason) {
    constexpr std::array<std::string_view, 4> names{"power_on", "watchdog", "brown_out", "request"};
    return name_in(names, reason);
}

std::string_view name_of(rigproto::JobStage stage) {
    constexpr std::array<std::string_view, 11> names{"idle",      "retracting", "travelling", "reaching",
                                                     "picking",   "lifting",    "checking",   "releasing",
                                                     "switching", "homing_z",   "homing_x"};
    return name_in(names, stage);
}

std::string_view name_of(rigproto::EventKind kind) {
    constexpr std::array<std::string_view, 10> names{"reset", "job_accepted", "job_progress", "job_done", "job_failed",
                                                     "card",  "port",         "fault",        "cleared",  "lease_lost"};
    return name_in(names, kind, 1);
}

std::string_view name_of(rigproto::Bin bin) {
    return name_in(bins, bin);
}

std::optional<rigproto::Bin> bin_named(std::string_view name) {
    for (std::size_t i = 0; i < bins.size(); ++i)
        if (bins[i] == name) return static_cast<rigproto::Bin>(i);
    return std::nullopt;
}

std::optional<std::string> explain_pin_map(std::uint32_t told) {
    if (told == 0 || told == pins::pin_map_hash) return std::nullopt;
    return fmt::format(
        "the board's firmware was made for pin map {:08X}, this mediarig knows {:08X}: make the image from "
        "the same sources (./run hw) and copy mediarig-rig.uf2 onto the board in its loader",
        told, pins::pin_map_hash);
}

} // namespace mediarig::rig
