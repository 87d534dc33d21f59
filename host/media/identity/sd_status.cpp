// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/media/identity/field_list.hpp"
#include "host/media/identity/sd_fields.hpp"

namespace mediarig::media {
namespace {

using detail::FieldList;
using detail::Register;

void add_unit(FieldList& fields, const char* name, unsigned high, unsigned low, bool version_3) {
    const std::uint32_t code = fields.bits(high, low);
    if (code == 0) return fields.add(name, high, low, "not defined");
    const auto unit = detail::allocation_unit(code, version_3);
    if (!unit) return fields.add(name, high, low, fmt::format("reserved ({})", code));
    fields.add(name, high, low, std::to_string(unit->count), "B");
}

/// The codes for the allocation unit of the UHS grade begin at 1 MiB.
void add_uhs_unit(FieldList& fields) {
    constexpr std::uint32_t first = 7;
    const std::uint32_t code = fields.bits(395, 392);
    if (code != 0 && code < first)
        return fields.add("uhs_allocation_unit", 395, 392, fmt::format("reserved ({})", code));
    add_unit(fields, "uhs_allocation_unit", 395, 392, true);
}

/// On SDSC the unit is MULT × BLOCK_LEN of the CSD; the number is shown as stored.
void add_protected_area(FieldList& fields) {
    fields.count("protected_area", 479, 448, "B, or the card's blocks on SDSC");
}

void add_performance_move(FieldList& fields) {
    const std::uint32_t code = fields.bits(439, 432);
    if (code == 0) return fields.add("performance_move", 439, 432, "sequential write");
    if (code == 0xFF) return fields.add("performance_move", 439, 432, "infinite");
    fields.add("performance_move", 439, 432, std::to_string(code), "MB/s");
}

/// ERASE_SIZE and ERASE_TIMEOUT are 0 if the card does not report the duration of an erase.
void add_erase(FieldList& fields) {
    if (fields.bits(423, 408) == 0)
        fields.add("erase_size", 423, 408, "not reported");
    else
        fields.count("erase_size", 423, 408, "allocation units");
    if (fields.bits(407, 402) == 0)
        fields.add("erase_timeout", 407, 402, "not reported");
    else
        fields.count("erase_timeout", 407, 402, "s");
    fields.count("erase_offset", 401, 400, "s");
}

} // namespace

std::vector<IdentityRow> ssr_rows(std::string_view ssr, std::string_view scr) {
    const auto parsed = Register::from_hex(ssr, detail::ssr_digits);
    if (!parsed || parsed->all_zero()) return {};
    const auto configuration = Register::from_hex(scr, detail::scr_digits);
    const bool version_3 = configuration && configuration->bits(47, 47) == 1;
    FieldList fields("SSR", *parsed);
    fields.code("bus_width", 511, 510, {{0, "1"}, {2, "4"}}, "bit");
    fields.flag("secured", 509);
    fields.code("card_type", 495, 480, {{0, "regular"}, {1, "ROM"}, {2, "OTP"}});
    add_protected_area(fields);
    fields.code("speed_class", 447, 440, {{0, "0"}, {1, "2"}, {2, "4"}, {3, "6"}, {4, "10"}});
    add_performance_move(fields);
    add_unit(fields, "allocation_unit", 431, 428, version_3);
    add_erase(fields);
    fields.code("uhs_grade", 399, 396, {{0, "0"}, {1, "1"}, {3, "3"}});
    add_uhs_unit(fields);
    fields.code("video_class", 391, 384, {{0, "0"}, {6, "6"}, {10, "10"}, {30, "30"}, {60, "60"}, {90, "90"}});
    fields.count("video_allocation_unit", 377, 368, "MiB");
    fields.count("suspension_address", 367, 346);
    fields.code("app_class", 339, 336, {{0, "none"}, {1, "A1"}, {2, "A2"}});
    // The public part of the specification does not define the queue depth for a code.
    const std::uint32_t depth = fields.bits(335, 331);
    fields.add("command_queue", 335, 331, depth == 0 ? "no" : fmt::format("yes (code {})", depth));
    fields.flag("cache", 330);
    fields.flag("host_maintenance", 329);
    fields.flag("card_maintenance", 328);
    fields.flag("write_protect_until_power_cycle", 315);
    fields.flag("boot_partition", 314);
    fields.flag("discard", 313);
    fields.flag("erase_of_the_whole_area", 312);
    return fields.done();
}

} // namespace mediarig::media
