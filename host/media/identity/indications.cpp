// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/indications.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace mediarig::media {
namespace {

using detail::IndicationList;
using detail::IndicationRule;

constexpr const char* usb_specification = "USB 3.2 specification, sections 9.6.1 and 9.6.2";
constexpr IndicationRule slower{"usb_slower", "the port, the cable or a hub between them is slower than the device",
                                usb_specification, Certainty::specification};
constexpr IndicationRule perhaps_slower{
    "usb_perhaps_slower", "USB 3 devices report 2.10 at High Speed; so do some devices that support only High Speed",
    usb_specification, Certainty::published};
constexpr IndicationRule uas_unused{
    "uas_unused",
    "the device offers UAS but is driven one command at a time: its results with deeper queues are not valid",
    "kernel documentation: usb-storage quirks", Certainty::published};
constexpr IndicationRule smart_failing{"smart_failing", "the disk reports that it is failing",
                                       "manual page of smartctl", Certainty::published};
constexpr IndicationRule same_cid{"same_cid", "no two cards have the same identification",
                                  "SD Physical Layer Simplified Specification, section 5.2", Certainty::specification};
constexpr IndicationRule same_serial{"same_serial", "no two devices of one maker and model have the same serial",
                                     "USB specification, section 9.6.1", Certainty::specification};

void speed_notes(const UsbIdentity& usb, IndicationList& indications) {
    constexpr double high_speed = 480, super_speed = 5000;
    const double promised = usb.capable_mbit > 0 ? usb.capable_mbit : usb.version >= "3" ? super_speed : 0;
    if (usb.speed_mbit <= 0) return;
    if (usb.speed_mbit < promised)
        indications.add(slower, fmt::format("{:.6g} Mbit/s of {:.6g} Mbit/s", usb.speed_mbit, promised));
    else if (promised == 0 && usb.version == "2.10" && usb.speed_mbit == high_speed)
        indications.add(perhaps_slower, "USB 2.10 at 480 Mbit/s");
}

} // namespace

std::vector<Indication> fake_indications(const Medium& medium, std::optional<CalendarMonth> now) {
    IndicationList indications;
    detail::card_indications(medium, now, indications);
    detail::usb_indications(medium, indications);
    return indications.done();
}

std::vector<Indication> attachment_notes(const Medium& medium) {
    IndicationList indications;
    if (medium.usb) {
        speed_notes(*medium.usb, indications);
        if (medium.usb->offers_uas && medium.usb->driver == "usb-storage")
            indications.add(uas_unused, "usb-storage (BOT)");
    }
    if (medium.smart && medium.smart->state == SmartState::failing) indications.add(smart_failing, "failing");
    return indications.done();
}

std::vector<Indication> duplicate_indications(const Medium& medium, std::span<const Medium> others) {
    IndicationList indications;
    for (const Medium& other : others) {
        if (medium.sd && other.sd && !medium.sd->cid.empty() && medium.sd->cid == other.sd->cid)
            indications.add(same_cid, other.node + " has it too");
        else if (medium.usb && other.usb && !medium.usb->serial.empty() && medium.usb->serial == other.usb->serial &&
                 medium.usb->vendor_id == other.usb->vendor_id && medium.usb->product_id == other.usb->product_id &&
                 medium.usb->port_path != other.usb->port_path) // two media at the same port are two slots of one
                                                                // reader
            indications.add(same_serial, other.node + " has it too");
    }
    return indications.done();
}

nlohmann::json to_json(const Indication& indication) {
    return {{"name", indication.name},
            {"found", indication.found},
            {"reason", indication.reason},
            {"source", indication.source},
            {"certainty", name_of(indication.certainty)}};
}

} // namespace mediarig::media
