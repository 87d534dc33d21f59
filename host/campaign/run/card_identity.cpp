// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/card_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/base/text.hpp"

namespace mediarig::campaign {
namespace {

using measure::Finding;
using measure::FindingKind;
using measure::Findings;
using measure::Severity;

/// Returns the CID without its last byte, the checksum, because some hosts replace the checksum with zero.
std::string_view number_of_card(const media::SdIdentity& sd) {
    return std::string_view(sd.cid).substr(0, 30);
}

bool same_cid(const media::SdIdentity& a, const media::SdIdentity& b) {
    return number_of_card(a) == number_of_card(b);
}

/// Source: SD Association, "Physical Layer Simplified Specification", section 5.2: PSN.
bool same_serial_number(const media::SdIdentity& a, const media::SdIdentity& b) {
    return a.manufacturer_id == b.manufacturer_id && a.oem_id == b.oem_id && a.product_name == b.product_name &&
           a.serial == b.serial;
}

/// Returns the reason why a known card cannot be the same card; empty if it may be the same.
std::string why_another(const store::DeviceRecord& card, const KnownCard& met) {
    const store::DeviceRecord& before = met.device;
    if (met.campaign.empty()) return "both are in this campaign";
    if (!card.lot.empty() && !before.lot.empty() && card.lot != before.lot)
        return fmt::format("that card is in lot {}, this card in lot {}", before.lot, card.lot);
    if (!card.label.empty() && !before.label.empty() && card.label != before.label)
        return fmt::format("that card is labelled {}, this card {}", before.label, card.label);
    const media::Medium &is = card.identity, &was = before.identity;
    if (const SizeTexts sizes = size_texts(was.size, is.size); is.size != was.size)
        return fmt::format("that card has {}, this card {}", sizes.first, sizes.second);
    if (!is.sd->scr.empty() && !was.sd->scr.empty() && is.sd->scr != was.sd->scr) return "their SCR differ";
    return {};
}

std::string place_of(const KnownCard& met) {
    return met.campaign.empty() ? met.device.name : fmt::format("{} of campaign {}", met.device.name, met.campaign);
}

/// Adds the first different card with the same value, and the number of such cards.
template <class Same>
void add_duplicate(Findings& findings, const store::DeviceRecord& card, const std::vector<KnownCard>& known,
                   const std::string& what, const Same& same) {
    std::string first;
    std::uint64_t times = 0;
    for (const KnownCard& met : known) {
        if (!same(*met.device.identity.sd, *card.identity.sd)) continue;
        const std::string why = why_another(card, met);
        if (why.empty()) continue;
        if (times++ == 0) first = fmt::format("{} has the same ({})", place_of(met), why);
    }
    if (times == 0) return;
    findings.push_back(
        {.kind = FindingKind::identity_changed,
         .severity = Severity::warning,
         .detail = fmt::format(
             "identity duplicated: {}; {}: counterfeits are copied in this way, and so are genuine cards with a CID "
             "that the owner can rewrite; test the whole capacity of both",
             what, first),
         .count = times});
}

/// True if the claimed capacity is possible: a CSD counts in units of 512 KiB (C_SIZE of versions 2 and 3).
bool fits(Bytes claimed, Bytes shown) {
    const Bytes difference{claimed > shown ? claimed.count - shown.count : shown.count - claimed.count};
    return difference < 512_KiB;
}

/// Returns one sentence that lists everything that the nest could not read.
std::string unread(const rig::NestReading& nest) {
    std::string text = rig::explain(nest.report);
    if (!text.empty()) return text;
    for (const rig::NestRegister& one : rig::registers_of(nest.report))
        if (const std::string why = rig::explain(one); !why.empty()) text += (text.empty() ? "" : ", ") + why;
    return text;
}

} // namespace

bool has_cid(const media::Medium& medium) {
    return medium.sd && !medium.sd->cid.empty();
}

std::vector<KnownCard> known_cards(const std::vector<store::DeviceView>& devices, const std::string& campaign) {
    std::vector<KnownCard> cards;
    for (const store::DeviceView& view : devices)
        if (has_cid(view.device.identity)) cards.push_back({.device = view.device, .campaign = campaign});
    return cards;
}

void add_registers(media::Medium& medium, const rig::NestReading& nest) {
    const auto was_read = [](const rig::NestRegister& one) { return one.state == rigproto::RegisterState::read; };
    if (!medium.sd && std::ranges::any_of(rig::registers_of(nest.report), was_read)) medium.sd = rig::sd_identity(nest);
}

Findings findings_about_card(const store::DeviceRecord& card, const rig::NestReading* nest,
                             const std::vector<KnownCard>& known) {
    Findings findings;
    const media::Medium& medium = card.identity;
    if (has_cid(medium)) {
        const media::SdIdentity& sd = *medium.sd;
        add_duplicate(findings, card, known, fmt::format("its CID is {}", sd.cid), same_cid);
        add_duplicate(findings, card, known,
                      fmt::format("its serial number is 0x{:08x}, of maker 0x{:02x} and product {}", sd.serial,
                                  sd.manufacturer_id, sd.product_name),
                      [](const media::SdIdentity& a, const media::SdIdentity& b) {
                          return same_serial_number(a, b) && !same_cid(a, b);
                      });
    }
    if (medium.sd && medium.sd->csd_capacity && !fits(*medium.sd->csd_capacity, medium.size)) {
        const SizeTexts sizes = size_texts(*medium.sd->csd_capacity, medium.size);
        findings.push_back(
            {.kind = FindingKind::capacity_unclear,
             .severity = Severity::warning,
             .detail = fmt::format("the card's CSD claims {}, and its reader shows {}: the reader cannot use the whole "
                                   "card, or the registers were rewritten; test it in another reader",
                                   sizes.first, sizes.second)});
    }
    if (const std::string why = nest != nullptr ? unread(*nest) : std::string(); !why.empty())
        findings.push_back({.kind = FindingKind::identity_changed,
                            .severity = Severity::note,
                            .detail = "not all registers were read on the rig's nest: " + why});
    if (const std::string why = nest != nullptr ? rig::explain(nest->report.supply) : std::string(); !why.empty())
        findings.push_back(
            {.kind = FindingKind::identity_changed, .severity = Severity::note, .detail = "on the rig's nest " + why});
    return findings;
}

} // namespace mediarig::campaign
