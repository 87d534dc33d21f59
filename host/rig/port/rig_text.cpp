// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/port/rig_text.hpp"

#include <fmt/format.h>

#include "hw/pins.hpp"

namespace mediarig::rig {

std::string told(const Destination& to) {
    if (const auto* bin = std::get_if<rigproto::Bin>(&to)) return fmt::format("into bin {}", name_of(*bin));
    return fmt::format("into pocket {}", number_of(std::get<Pocket>(to)));
}

std::string explain(rigproto::Fault fault, std::uint8_t detail) {
    using rigproto::Fault;
    // Users count from 1.
    const int place = detail + 1;
    switch (fault) {
        case Fault::none:
            return "there is no fault";
        case Fault::estop:
            return "the safety chain is open (emergency stop or door); close it, then run mediarig rig reset and home";
        case Fault::stopped:
            return "the rig was stopped by the host; run mediarig rig reset, then home";
        case Fault::lease:
            return "the host was silent for too long and the rig stopped; run mediarig rig reset, then home";
        case Fault::watchdog:
            return "the board was reset by its watchdog or by low voltage, and no longer knows its position; check its "
                   "supply, "
                   "then run "
                   "mediarig rig reset and home";
        case Fault::x_home_not_found:
            return "the carriage did not find its home flag; check that the way is free, the belt tight and the flag's "
                   "cable plugged "
                   "in";
        case Fault::x_home_stuck:
            return "the carriage's home flag does not clear; check the flag and its sensor";
        case Fault::x_home_unrepeatable:
            return "the carriage found its home flag at two different places; check that the belt does not slip and "
                   "the flag is not loose";
        case Fault::z_home_not_found:
            return "the cup's axis did not find its home flag; check that the way up is free and the flag's cable is "
                   "plugged in";
        case Fault::z_home_stuck:
            return "the cup's home flag does not clear; check the flag and its sensor";
        case Fault::z_home_unrepeatable:
            return "the cup's axis found its home flag at two different places; check that the flag is not loose";
        case Fault::jam:
            return "steps were lost, or the cup came down without a command: the carriage is blocked, or the spring "
                   "came "
                   "off; correct this, then run mediarig rig reset and home";
        case Fault::pick_missed:
            return fmt::format("nothing was picked up at place {}: it is empty, or the card does not stick to the cup",
                               place);
        case Fault::card_dropped:
            return "the card fell off the cup on the way; find it, then run mediarig rig reset and home";
        case Fault::insert_failed:
            return fmt::format("the card did not go into reader {}; do not push it again; check whether it is bent",
                               place);
        case Fault::eject_failed:
            return fmt::format("the card did not come out of reader {}; take it out by hand", place);
        case Fault::port_short:
            return fmt::format("port {} was switched off: short circuit; take the card out", place);
        case Fault::port_overload:
            return fmt::format("port {} was switched off: too much current for too long; take the card out", place);
        case Fault::port_welded:
            return fmt::format(
                "port {} still has voltage or current after switching off: its switch is welded; unplug the "
                "rig's supply",
                place);
        case Fault::port_no_voltage:
            return fmt::format("port {} has no voltage after switching on; check its supply", place);
        case Fault::port_not_discharged:
            return fmt::format(
                "the voltage of port {} did not go away after switching off; no card is moved into or out of its "
                "reader",
                place);
        case Fault::card_pulled:
            return fmt::format("the card was pulled out of reader {} under voltage", place);
        case Fault::driver_fault:
            return "a motor driver reports an error (short circuit, overheated, too little supply); check motors and "
                   "supply, then run mediarig rig reset and home";
        case Fault::internal:
            return "the firmware reached an impossible state; keep the ledger and report it";
        case Fault::card_clings:
            return fmt::format(
                "a card is still on the cup, at place {}; take it off by hand, then run mediarig rig "
                "reset and home",
                place);
        case Fault::pocket_occupied:
            return fmt::format(
                "pocket {} contains a card, and the card of this job is still in its reader; choose an "
                "empty pocket",
                place);
    }
    return fmt::format("the board reports fault {}, which this mediarig does not know; update mediarig",
                       static_cast<unsigned>(fault));
}

namespace {

std::string explain(rigproto::Interlock interlock) {
    using rigproto::Interlock;
    switch (interlock) {
        case Interlock::none:
            return "the state of the rig forbids this request";
        case Interlock::port_powered:
            return "the port has voltage, or its voltage could not be measured while it was on; switch it off, or take "
                   "the "
                   "card out by hand";
        case Interlock::no_card:
            return "there is no card in that reader";
        case Interlock::card_present:
            return "there is, or was, a card in that reader, or on the nest; unload it, or take it out and run "
                   "mediarig rig empty READER";
        case Interlock::z_not_retracted:
            return "the cup is not up; run mediarig rig home";
        case Interlock::port_guarded:
            return "a write is in progress on that port, or a campaign that was ended left it guarded; if no campaign "
                   "runs, mediarig rig power with --unguard switches the port off";
        case Interlock::safety_open:
            return "the safety chain is open (emergency stop or door); close it first";
        case Interlock::pump_running:
            return "a card is on the cup; take it off, then run mediarig rig home";
        case Interlock::port_settling:
            return "another port was switched a moment ago; try again";
        case Interlock::reader_unproven:
            return "since the rig was switched on, it is unknown whether that reader is empty; check the reader, then "
                   "run mediarig rig empty READER";
        case Interlock::carriage_jumper:
            return "the jumper NO_CARRIAGE on the board and the rig file disagree about the carriage; check that the "
                   "file "
                   "belongs to this rig (the jumper is only for a rig without a carriage)";
        case Interlock::pocket_occupied:
            return "that pocket contains a card; choose an empty pocket";
    }
    return "an interlock that this mediarig does not know; update mediarig";
}

} // namespace

std::string explain(rigproto::Rejection rejection) {
    using rigproto::Reject;
    switch (rejection.reject) {
        case Reject::none:
            return "the board started it";
        case Reject::no_session:
            return "the board has no session: it was restarted";
        case Reject::unknown_op:
            return "the board does not know this operation: its firmware is older than this mediarig";
        case Reject::bad_payload:
            return "the board could not read the request: its firmware and this mediarig differ";
        case Reject::out_of_range:
            return "this rig has no such place";
        case Reject::unconfigured:
            return "the board has no configuration";
        case Reject::not_homed:
            return "the rig is not homed; run mediarig rig home";
        case Reject::busy:
            return "the rig is busy with another job; wait, or run mediarig rig stop";
        case Reject::events_full:
            return "too many events of the board are waiting to be recorded";
        case Reject::job_reused:
            return "this job's number was used for another job: the ledger does not belong to this board";
        case Reject::job_too_old:
            return "this job's number is below that of the board's last job: the ledger is out of date";
        case Reject::latched:
            return "the rig is stopped after a fault; see mediarig rig status, then run mediarig rig reset";
        case Reject::interlock:
            return explain(rejection.interlock);
        case Reject::lease_lost:
            return "the rig stopped waiting for the host; try again";
        case Reject::read_only:
            return "the board is read-only for this program: another program drives it, or firmware and mediarig speak "
                   "different major versions of the protocol";
        case Reject::stale:
            return "the board now belongs to another session; try again";
        case Reject::session_held:
            return "another program drives the rig; wait until it ends, then try again";
    }
    return fmt::format("the board gave reason {}, which this mediarig does not know; update mediarig",
                       static_cast<unsigned>(rejection.reject));
}

std::string lost_voltage(PortIndex port) {
    return fmt::format(
        "port {} lost its voltage while it was in use: the board was restarted, or received no message for too long",
        number_of(port));
}

std::optional<std::string> explain_pin_map(std::uint32_t told) {
    if (told == 0 || told == pins::pin_map_hash) return std::nullopt;
    return fmt::format(
        "the board's firmware was made for pin map {:08X}, but this mediarig knows {:08X}: build the image from "
        "the same sources (./run hw) and copy mediarig-rig.uf2 onto the board in its boot loader",
        told, pins::pin_map_hash);
}

} // namespace mediarig::rig
