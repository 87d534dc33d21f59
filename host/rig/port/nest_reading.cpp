// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/port/nest_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/media/identity/sd_registers.hpp"

namespace mediarig::rig {
namespace {

using rigproto::NestEnd;
using rigproto::NestSupply;
using rigproto::RegisterState;

std::string hex(std::span<const std::uint8_t> bytes, RegisterState state) {
    std::string text;
    if (state != RegisterState::read) return text;
    for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
}

/// Application commands follow CMD55.
std::string command_name(std::uint8_t command) {
    const bool app = command == 41 || command == 51 || command == 13;
    return fmt::format("{}CMD{}", app ? "A" : "", command);
}

} // namespace

std::vector<NestRegister> registers_of(const rigproto::NestReply& report) {
    return {{"CID", report.cid}, {"CSD", report.csd}, {"SCR", report.scr}, {"SSR", report.ssr}};
}

bool is_about_a_card(const rigproto::NestReply& report) {
    switch (report.end) {
        case NestEnd::none:
        case NestEnd::reading:
        case NestEnd::no_card:
        case NestEnd::interrupted:
            return false;
        default:
            return true;
    }
}

bool is_whole(const rigproto::NestReply& report) {
    return report.end == NestEnd::finished && std::ranges::all_of(registers_of(report), [](const NestRegister& one) {
               return one.state == RegisterState::read;
           });
}

std::string explain(const rigproto::NestReply& report) {
    switch (report.end) {
        case NestEnd::finished:
            return {};
        case NestEnd::none:
            return "no card was read since the board started";
        case NestEnd::reading:
            return "the card is still being read";
        case NestEnd::no_card:
            return "there is no card on the nest: put a card on its contacts, or check that the carriage brings the "
                   "card there";
        case NestEnd::no_answer:
            return fmt::format(
                "the card on the nest does not answer {}: clean its contacts; a card that never "
                "answers is broken or not an SD card",
                command_name(report.command));
        case NestEnd::damaged:
            return fmt::format("the answer of the card on the nest to {} has a wrong checksum: clean its contacts",
                               command_name(report.command));
        case NestEnd::not_sd:
            return "the card on the nest is a MultiMediaCard: it has no registers of an SD card";
        case NestEnd::wrong_voltage:
            return "the card on the nest does not work at 3.3 V";
        case NestEnd::never_ready:
            return "the card on the nest does not become ready within a second: it is broken";
        case NestEnd::interrupted:
            return "reading the card on the nest was interrupted: see mediarig rig status";
    }
    return "the nest reports a state that this mediarig does not know: update it";
}

std::string explain(const NestRegister& one) {
    switch (one.state) {
        case RegisterState::read:
            return {};
        case RegisterState::not_asked:
            return fmt::format("{}: not requested", one.name);
        case RegisterState::no_answer:
            return fmt::format("{}: the card does not answer", one.name);
        case RegisterState::no_data:
            return fmt::format("{}: the card sends no data", one.name);
        case RegisterState::damaged:
            return fmt::format("{}: wrong checksum", one.name);
    }
    return fmt::format("{}: unlisted", one.name);
}

std::string explain(NestSupply supply) {
    if (supply != NestSupply::offset) return {};
    return "the card's supply current is unknown: a current is measured before the supply is on, so the nest's "
           "amplifier or its "
           "changeover switch is broken";
}

media::SdIdentity sd_identity(const NestReading& reading) {
    const auto& [report, registers] = reading;
    media::SdIdentity sd = media::decode_sd_registers(hex(registers.cid, report.cid), hex(registers.csd, report.csd),
                                                      hex(registers.scr, report.scr), hex(registers.ssr, report.ssr));
    if (report.supply == NestSupply::measured) {
        sd.supply_rest_ua = report.rest_ua;
        sd.supply_most_ua = report.most_ua;
    }
    if (report.ocr != 0) sd.ocr = fmt::format("0x{:08x}", report.ocr);
    return sd;
}

} // namespace mediarig::rig
