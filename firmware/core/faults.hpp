// SPDX-License-Identifier: GPL-3.0-or-later
/// Which faults latch the whole rig, and which only end a job or switch one port off.
///
/// | Fault                        | What happens                                                        | Latches |
/// |------------------------------|---------------------------------------------------------------------|---------|
/// | estop                        | all outputs off, position unknown                                   | yes     |
/// | stopped                      | motion and vacuum off, ports as they are                            | yes     |
/// | x/z_home_not_found           | as stopped                                                          | yes     |
/// | x/z_home_stuck               | as stopped                                                          | yes     |
/// | x/z_home_unrepeatable        | as stopped                                                          | yes     |
/// | jam, driver_fault            | as stopped: where the axes are is not known any more                | yes     |
/// | card_dropped                 | as stopped: a card lies somewhere                                   | yes     |
/// | internal                     | as stopped, and all ports off                                       | yes     |
/// | lease                        | the job ends at its hold point                                      | no      |
/// | watchdog                     | the job had ended with the reset; the rig is unhomed, all off       | no      |
/// | pick_missed                  | the job ends with Z up; the card is where it was                    | no      |
/// | insert_failed                | the card goes back into its pocket, the job ends with Z up          | no      |
/// | eject_failed                 | the card stays in the reader, the job ends with Z up                | no      |
/// | port_short, port_overload    | this port goes off; its power job fails                             | no      |
/// | port_no_voltage, card_pulled | this port goes off; its power job fails                             | no      |
/// | port_welded                  | this port is barred from motion, until it measures off              | no (*)  |
/// | port_not_discharged          | this port is barred from motion, until it measures off              | no (*)  |
///
/// (*) If voltage comes up in a reader while the cup is down in it, moving on is as forbidden as moving out, and if it
/// comes up before a card is put back into its reader, there is no place for the card: the rig stops at once and
/// latches the port's fault.
///
/// A latched fault leaves only through CLEAR, once its cause is gone, and only to UNHOMED.
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
            return false;
    }
    return true;
}

} // namespace mediarig::firmware
