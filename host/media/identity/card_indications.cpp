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

constexpr IndicationRule mid_zero{"mid_zero", "no maker has the id 0: the controller was never given an identity",
                                  card_reports, Certainty::published};
constexpr IndicationRule mid_unknown{"mid_unknown", "this id is not in mediarig's list: an unknown maker, or no maker",
                                     own_list, Certainty::unofficial};
constexpr IndicationRule oid_unprintable{"oid_unprintable", "an OEM id is two printable characters", specification,
                                         Certainty::specification};
constexpr IndicationRule oid_unusual{"oid_unusual", "mediarig's list has another OEM id for this maker", own_list,
                                     Certainty::unofficial};
constexpr IndicationRule name_generic{"name_generic", "a name that controllers have before a maker gives them one",
                                      card_reports, Certainty::published};
constexpr IndicationRule name_unprintable{"name_unprintable", "a product name is five printable characters",
                                          specification, Certainty::specification};
constexpr IndicationRule serial_low{"serial_low",
                                    "makers number their cards consecutively: so low a number is improbable",
                                    card_reports, Certainty::published};
constexpr IndicationRule no_date{"no_date", "every card records its month of manufacture", specification,
                                 Certainty::specification};
constexpr IndicationRule future_date{"future_date",
                                     "the date of manufacture is in the future, or this machine's clock is wrong",
                                     specification, Certainty::specification};
constexpr IndicationRule too_early{"too_early", "made before cards of this capacity existed",
                                   "SD Association: SDHC in 2006, SDXC in 2009, SDUC in 2018", Certainty::published};
constexpr IndicationRule checksum{"cid_checksum", "the identification does not agree with its own checksum",
                                  specification, Certainty::specification};
constexpr IndicationRule capacity_differs{"capacity_differs",
                                          "the card's register and the kernel disagree on the capacity", specification,
                                          Certainty::specification};
constexpr IndicationRule version_old{"version_old", "a card of this capacity is made to a later version", specification,
                                     Certainty::specification};
constexpr IndicationRule unit_too_large{"unit_too_large", "cards of up to 32 GB have allocation units of up to 4 MiB",
                                        specification, Certainty::specification};
constexpr IndicationRule status_empty{"status_empty", "every card of version 2.00 or later has a status", specification,
                                      Certainty::specification};
constexpr IndicationRule no_speed_class{"no_speed_class", "an SDHC or SDXC card has a speed class of at least 2",
                                        "SD Association, speed classes of SDHC and SDXC", Certainty::published};

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
    constexpr std::array<std::string_view, 6> generic{"", "SD", "00000", "SMI", "APPSD", "CARD"};
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

void capacity_signs(const SdIdentity& sd, Bytes size, IndicationList& indications) {
    const Bytes capacity = sd.csd_capacity.value_or(size);
    if (sd.csd_capacity && size != 0_B && *sd.csd_capacity != size)
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
    // Host controllers that drop the checksum leave zeros.
    if (cid->bits(7, 0) != 0 && cid->bits(7, 1) != checksum_of(*cid))
        indications.add(checksum, fmt::format("0x{:02x}, not 0x{:02x}", cid->bits(7, 1), checksum_of(*cid)));
}

} // namespace mediarig::media::detail
