// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/media/identity/indications.hpp"
#include "host/media/identity/manufacturers.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/identity/sd_registers.hpp"

namespace mediarig::media::detail {
namespace {

constexpr const char* specification = "SD Physical Layer Simplified Specification";
constexpr const char* card_reports = "published reports on counterfeit cards";
constexpr const char* own_list = "mediarig's list of makers as reported on cards, unofficial and incomplete";

constexpr IndicationRule mid_zero{"mid_zero",
                                  "MID",
                                  "no maker has the id 0: the controller was never given an identity",
                                  "cards sold without an identity written by a maker",
                                  card_reports,
                                  Certainty::published};
constexpr IndicationRule mid_unknown{"mid_unknown",
                                     "MID",
                                     "this id is not in mediarig's list",
                                     "genuine cards of makers that the list omits",
                                     own_list,
                                     Certainty::unofficial};
constexpr IndicationRule oid_unprintable{
    "oid_unprintable",       "OID", "an OEM id must consist of two printable characters", "", specification,
    Certainty::specification};
constexpr IndicationRule oid_unusual{"oid_unusual",
                                     "OID",
                                     "mediarig's list has another OEM id for this maker",
                                     "genuine cards of makers with several OEM ids, such as Transcend",
                                     own_list,
                                     Certainty::unofficial};
constexpr IndicationRule name_generic{"name_generic",
                                      "PNM",
                                      "controllers have this name until a maker writes another",
                                      "cards sold without an identity written by a maker",
                                      card_reports,
                                      Certainty::published};
constexpr IndicationRule name_unprintable{
    "name_unprintable",      "PNM", "a product name must consist of five printable characters", "", specification,
    Certainty::specification};
constexpr IndicationRule serial_low{"serial_low",
                                    "PSN",
                                    "makers number their cards consecutively, so such a low number is improbable",
                                    "one production lot that Kingston called authentic (2009)",
                                    card_reports,
                                    Certainty::published};
constexpr IndicationRule no_date{"no_date", "MDT",         "every card must record its month of manufacture",
                                 "",        specification, Certainty::specification};
constexpr IndicationRule future_date{"future_date",
                                     "MDT",
                                     "the date of manufacture is in the future",
                                     "every card, if this machine's clock is wrong",
                                     specification,
                                     Certainty::specification};
constexpr IndicationRule too_early{"too_early",
                                   "MDT",
                                   "cards of this capacity did not exist in this month",
                                   "",
                                   "SD Association: SDHC in 2006, SDXC in 2009, SDUC in 2018",
                                   Certainty::published};
constexpr IndicationRule checksum{
    "cid_checksum",          "CRC7", "the identification does not match its checksum", "", specification,
    Certainty::specification};
constexpr IndicationRule capacity_differs{"capacity_differs",
                                          "CSD",
                                          "the card's register and the kernel disagree on the capacity",
                                          "genuine cards in a reader that does not support their capacity",
                                          specification,
                                          Certainty::specification};
constexpr IndicationRule version_old{"version_old",
                                     "SCR",
                                     "a card of this capacity needs a later version of the specification",
                                     "genuine cards of 4 GB with version 1.xx",
                                     specification,
                                     Certainty::specification};
constexpr IndicationRule unit_too_large{"unit_too_large",
                                        "SSR",
                                        "a card of up to 32 GB must have an allocation unit of at most 4 MiB",
                                        "",
                                        specification,
                                        Certainty::specification};
constexpr IndicationRule status_empty{
    "status_empty",
    "SSR",
    "every card of version 2.00 or later must report a status",
    "genuine cards whose status the kernel could not read ('problem reading SD Status register')",
    specification,
    Certainty::specification};
constexpr IndicationRule no_speed_class{"no_speed_class",
                                        "SSR",
                                        "an SDHC or SDXC card must have a speed class of at least 2",
                                        "",
                                        "SD Association, speed classes of SDHC and SDXC",
                                        Certainty::published};

constexpr Bytes largest_sdsc = 2_GiB, largest_sdhc = 32_GiB, largest_sdxc = 2048_GiB;

bool two_printable(const std::string& oid) {
    return oid.size() == 2 && std::ranges::all_of(oid, [](char c) { return c > 0x20 && c < 0x7F; });
}

void maker_signs(const SdIdentity& sd, IndicationList& indications) {
    const std::string mid = fmt::format("0x{:02x}", sd.manufacturer_id);
    const auto maker = card_maker(sd.manufacturer_id);
    if (sd.manufacturer_id == 0)
        indications.add(mid_zero, mid);
    else if (!maker)
        indications.add(mid_unknown, mid);
    if (!two_printable(sd.oem_id))
        indications.add(oid_unprintable, sd.oem_id);
    else if (maker && !maker->oids.empty() && std::ranges::find(maker->oids, sd.oem_id) == maker->oids.end())
        indications.add(oid_unusual, fmt::format("{} with {} ({})", sd.oem_id, mid, maker->name));
}

void name_signs(const SdIdentity& sd, const Register& cid, IndicationList& indications) {
    // Published names of cards without an identity. Genuine cards have names such as 00000 (Samsung, Kingston) and USD
    // (Transcend).
    constexpr std::array<std::string_view, 2> generic{"", "N/A"};
    const std::string raw = cid.characters(103, 5);
    if (std::ranges::any_of(raw, [](char c) { return c != 0 && (c < 0x20 || c > 0x7E); }))
        indications.add(name_unprintable, sd.product_name);
    else if (std::ranges::find(generic, std::string_view(sd.product_name)) != generic.end())
        indications.add(name_generic, "'" + sd.product_name + "'");
    constexpr std::uint32_t lowest_likely = 256;
    if (sd.serial < lowest_likely) indications.add(serial_low, fmt::format("0x{:08x}", sd.serial));
}

void date_signs(const SdIdentity& sd, Bytes capacity, std::optional<CalendarMonth> now, IndicationList& indications) {
    if (sd.year == 0) return indications.add(no_date, "no month");
    const std::string made = fmt::format("{}-{:02}", sd.year, sd.month);
    if (now && CalendarMonth{sd.year, sd.month} > *now) indications.add(future_date, made);
    const std::uint16_t first = capacity > largest_sdxc   ? 2018
                                : capacity > largest_sdhc ? 2009
                                : capacity > largest_sdsc ? 2006
                                                          : 0;
    if (sd.year < first) indications.add(too_early, made);
}

/// CRC7 of the first fifteen bytes, polynomial x^7 + x^3 + 1.
std::uint32_t checksum_of(const Register& cid) {
    std::uint32_t crc = 0;
    for (unsigned bit = 127; bit >= 8; --bit) {
        const std::uint32_t top = (crc >> 6 ^ cid.bits(bit, bit)) & 1u;
        crc = (crc << 1 & 0x7Fu) ^ (top * 0x09u);
    }
    return crc;
}

/// A CSD counts in units of up to 512 KiB, and readers report capacities in whole units of another size.
bool agree(Bytes csd, Bytes shown) {
    return (csd > shown ? csd - shown : shown - csd) < 512_KiB;
}

void capacity_signs(const SdIdentity& sd, Bytes size, IndicationList& indications) {
    const Bytes capacity = sd.csd_capacity.value_or(size);
    if (sd.csd_capacity && size != 0_B && !agree(*sd.csd_capacity, size))
        indications.add(capacity_differs,
                        fmt::format("{} B in the CSD, {} B in the kernel", sd.csd_capacity->count, size.count));
    const std::string& version = sd.spec_version;
    const bool before_2 = version.starts_with("1.");
    const bool before_3 = before_2 || version == "2.00";
    if ((capacity > largest_sdhc && before_3) || (capacity > largest_sdsc && before_2))
        indications.add(version_old, version);
    if (capacity <= largest_sdhc && sd.allocation_unit && *sd.allocation_unit > 4_MiB)
        indications.add(unit_too_large, fmt::format("{} B", sd.allocation_unit->count));
    if (capacity <= largest_sdsc) return;
    const auto status = Register::from_hex(sd.ssr, ssr_digits);
    if (status && status->all_zero()) indications.add(status_empty, "zeros");
    if (sd.speed_class && *sd.speed_class == 0) indications.add(no_speed_class, "0");
}

} // namespace

void card_indications(const Medium& medium, std::optional<CalendarMonth> now, IndicationList& indications) {
    if (!medium.sd) return;
    const SdIdentity& sd = *medium.sd;
    capacity_signs(sd, medium.size, indications);
    const auto cid = Register::from_hex(sd.cid, cid_digits);
    if (!cid || cid->all_zero()) return;
    maker_signs(sd, indications);
    name_signs(sd, *cid, indications);
    date_signs(sd, sd.csd_capacity.value_or(medium.size), now, indications);
    // Some host controllers replace the checksum by zeros, and set the end bit (Linux, rtsx_pci_sdmmc) or clear it.
    if (cid->bits(7, 1) != 0 && cid->bits(7, 1) != checksum_of(*cid))
        indications.add(checksum, fmt::format("0x{:02x}, not 0x{:02x}", cid->bits(7, 1), checksum_of(*cid)));
}

} // namespace mediarig::media::detail
