// SPDX-License-Identifier: GPL-3.0-or-later
/// The faults that latch the rig, from the table in docs/development/firmware.md. Tests compare the machine with it.
#pragma once

#include "common/rigproto/messages.hpp"

namespace mediarig::firmware {

[[nodiscard]] constexpr bool latches(rigproto::Fault fault) {
    using rigproto::Fault;
    switch (fault) {
        case Fault::estop:
        case Fault::stopped:
        case Fault::x_home_not_found:
        case Fault::x_home_stuck:
        case Fault::x_home_unrepeatable:
        case Fault::z_home_not_found:
        case Fault::z_home_stuck:
        case Fault::z_home_unrepeatable:
        case Fault::jam:
        case Fault::driver_fault:
        case Fault::card_dropped:
        case Fault::internal:
        case Fault::card_clings:
            return true;
        case Fault::none:
        case Fault::lease:
        case Fault::watchdog:
        case Fault::pick_missed:
        case Fault::insert_failed:
        case Fault::eject_failed:
        case Fault::port_short:
        case Fault::port_overload:
        case Fault::port_welded:
        case Fault::port_no_voltage:
        case Fault::port_not_discharged:
        case Fault::card_pulled:
        case Fault::pocket_occupied:
            return false;
    }
    return true;
}

} // namespace mediarig::firmware
