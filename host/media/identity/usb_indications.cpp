// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "host/media/identity/indications.hpp"

namespace mediarig::media::detail {
namespace {

constexpr const char* bulk_only = "USB Mass Storage Class, Bulk-Only Transport, section 4.1.1";
constexpr const char* stick_reports = "published reports on counterfeit sticks";

// These rules concern the stick or reader, not the card in a reader. Card readers of all makers have several of the
// values of an unbranded device, so these values count as one field.
constexpr const char* of_brand = "descriptors";
constexpr IndicationRule no_serial{
    "usb_no_serial",
    of_brand,
    "a Bulk-Only device must have a serial number; this concerns the stick or reader, not a card in it",
    "card readers, and genuine sticks",
    bulk_only,
    Certainty::specification};
constexpr IndicationRule short_serial{"usb_serial_form",
                                      of_brand,
                                      "the serial of a Bulk-Only device must have at least twelve hexadecimal digits; "
                                      "this concerns the stick or reader, not a card in it",
                                      "genuine sticks and disks with letters in their serial",
                                      bulk_only,
                                      Certainty::specification};
constexpr IndicationRule generic_text{
    "usb_generic_text",
    of_brand,
    "controllers have this text until a maker writes another; this concerns the stick or reader, not a card in it",
    "card readers",
    stick_reports,
    Certainty::published};
constexpr IndicationRule default_ids{
    "usb_default_ids",
    "ids",
    "controllers have these ids until a maker writes others; this concerns the stick or reader, not a card in it",
    "genuine sticks of brands that keep the ids of Alcor Micro",
    stick_reports,
    Certainty::published};
constexpr IndicationRule odd_capacity{
    "usb_odd_capacity",
    "capacity",
    "no stick or card is sold with this capacity; this concerns the stick or reader, not a card in it",
    "sticks that a tool of the controller's maker divided",
    stick_reports,
    Certainty::published};

struct Ids {
    std::string_view vendor, product, chip;
};
// The list excludes 090c:1000 of Silicon Motion, because genuine Samsung sticks have these ids.
constexpr std::array defaults{Ids{"058f", "6387", "Alcor Micro"}, Ids{"1e3d", "2093", "Chipsbank"},
                              Ids{"abcd", "1234", "Chipsbank"}, Ids{"ffff", "5678", "Chipsbank"}};

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool is_generic(const std::string& text) {
    constexpr std::array<std::string_view, 7> known{"generic",      "general",          "usb disk",  "udisk",
                                                    "mass storage", "usb mass storage", "flash disk"};
    return std::ranges::find(known, std::string_view(text)) != known.end();
}

/// True between 87 % and 110 % of a capacity on sale, which covers spare blocks and binary units: powers of two of a
/// gigabyte, cards of 6, 12, 24, 48, 200, 400 GB and 1.5 TB, sticks of 240, 480 and 960 GB.
bool usual_capacity(Bytes size) {
    const auto sold_as = [&](double nominal) {
        const double share = static_cast<double>(size.count) / nominal;
        return share >= 0.87 && share <= 1.10;
    };
    for (double nominal = 1e9; nominal < 1e15; nominal *= 2)
        if (sold_as(nominal)) return true;
    constexpr std::array others{6e9, 12e9, 24e9, 48e9, 200e9, 240e9, 400e9, 480e9, 960e9, 1.5e12};
    return std::ranges::any_of(others, sold_as);
}

void serial_indications(const UsbIdentity& usb, IndicationList& indications) {
    if (usb.serial.empty()) return indications.add(no_serial, "none");
    const auto digits = std::ranges::count_if(usb.serial, [](unsigned char c) { return std::isxdigit(c) != 0; });
    constexpr std::size_t shortest = 12;
    if (usb.serial.size() < shortest || static_cast<std::size_t>(digits) != usb.serial.size())
        indications.add(short_serial, usb.serial);
}

} // namespace

void usb_indications(const Medium& medium, IndicationList& indications) {
    if (!medium.usb || medium.sd) return;
    const UsbIdentity& usb = *medium.usb;
    if (usb.interface_class == "08/06/50") serial_indications(usb, indications);
    for (const std::string& text : {usb.manufacturer, usb.product})
        if (is_generic(lower(text))) indications.add(generic_text, text);
    for (const Ids& ids : defaults)
        if (usb.vendor_id == ids.vendor && usb.product_id == ids.product)
            indications.add(default_ids, fmt::format("{}:{} of {}", usb.vendor_id, usb.product_id, ids.chip));
    // Disks in a bridge may have any capacity.
    constexpr Bytes smallest = 1_GiB;
    if (medium.removable && usb.driver == "usb-storage" && medium.size >= smallest && !usual_capacity(medium.size))
        indications.add(odd_capacity, fmt::format("{} B", medium.size.count));
}

} // namespace mediarig::media::detail
