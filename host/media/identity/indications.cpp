// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/indications.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mediarig::media {
namespace {

using detail::IndicationList;
using detail::IndicationRule;

constexpr const char* usb_specification = "USB 3.2 specification, sections 9.6.1 and 9.6.2";
constexpr IndicationRule slower{"usb_slower",
                                "speed",
                                "the port, the cable or a hub between them is slower than the device",
                                "devices whose link was trained down by an error",
                                usb_specification,
                                Certainty::specification};
constexpr IndicationRule perhaps_slower{"usb_perhaps_slower",
                                        "speed",
                                        "USB 3 devices report 2.10 at High Speed",
                                        "devices that support only High Speed",
                                        usb_specification,
                                        Certainty::published};
constexpr IndicationRule uas_unused{
    "uas_unused",
    "driver",
    "the device offers UAS but is driven one command at a time: its results with deeper queues are not valid",
    "bridges that the kernel drives without UAS because of their faults",
    "kernel documentation: usb-storage quirks",
    Certainty::published};
constexpr IndicationRule smart_failing{"smart_failing",
                                       "SMART",
                                       "the disk reports that it is failing",
                                       "disks whose single threshold was passed once, for example by heat",
                                       "manual page of smartctl",
                                       Certainty::published};
constexpr IndicationRule same_cid{
    "same_cid",
    "CID",
    "no two cards have the same identification",
    "genuine cards whose CID the owner rewrote (some Samsung EVO Plus permit it), and one "
    "batch of inexpensive cards",
    "SD Physical Layer Simplified Specification, section 5.2",
    Certainty::specification};
constexpr IndicationRule same_serial{"same_serial",
                                     "serial",
                                     "devices of one maker and model differ in their serial",
                                     "genuine readers and sticks with a constant serial, such as 000000000001",
                                     "USB specification, section 9.6.1",
                                     Certainty::specification};

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

bool are_signs_of_a_fake(std::span<const Indication> indications) {
    return std::ranges::any_of(indications,
                               [&](const Indication& other) { return other.field != indications.front().field; });
}

std::string indications_heading(std::span<const Indication> indications) {
    constexpr std::string_view decides = "only a test that writes and verifies the whole capacity decides";
    return are_signs_of_a_fake(indications)
               ? fmt::format("signs of a fake (indications, not proof: {})", decides)
               : fmt::format("one unusual value (no sign of a fake on its own, other media have it too: {})", decides);
}

std::string others_text(const Indication& indication) {
    return indication.also_on.empty() ? "no genuine medium with this value is published"
                                      : "also seen on " + indication.also_on;
}

std::string text_of(const Indication& indication) {
    return fmt::format("{}: {}: {}; {} ({}; {})", indication.name, indication.found, indication.reason,
                       others_text(indication), name_of(indication.certainty), indication.source);
}

nlohmann::json to_json(const Indication& indication) {
    return {{"name", indication.name},
            {"field", indication.field},
            {"found", indication.found},
            {"reason", indication.reason},
            {"also_on", indication.also_on},
            {"source", indication.source},
            {"certainty", name_of(indication.certainty)}};
}

} // namespace mediarig::media
