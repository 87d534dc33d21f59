// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/sd_fields.hpp"

#include <fmt/format.h>

#include "host/media/identity/field_list.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/identity/sd_registers.hpp"

namespace mediarig::media {
namespace {

using detail::FieldList;
using detail::Register;

std::optional<Register> there(std::string_view hex, std::size_t digits) {
    auto parsed = Register::from_hex(hex, digits);
    if (!parsed || parsed->all_zero()) return std::nullopt;
    return parsed;
}

/// Bits per second: a unit code and a value code, whose values are in tenths.
std::string transfer_speed(std::uint32_t code) {
    constexpr std::array<unsigned, 16> tenths{0, 10, 12, 13, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80};
    constexpr std::array<double, 4> unit_mbit{0.1, 1, 10, 100};
    const std::uint32_t unit = code & 7u, value = code >> 3 & 15u;
    if (unit >= unit_mbit.size() || value == 0 || (code & 0x80u) != 0) return fmt::format("reserved ({})", code);
    return fmt::format("{:.6g}", unit_mbit.at(unit) * tenths.at(value) / 10);
}

/// TAAC (read access time): the same value codes, with powers of ten of a nanosecond as units.
std::string access_time(std::uint32_t code) {
    constexpr std::array<unsigned, 16> tenths{0, 10, 12, 13, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80};
    std::uint64_t tenths_of_ns = tenths.at(code >> 3 & 15u);
    if (tenths_of_ns == 0 || (code & 0x80u) != 0) return fmt::format("reserved ({})", code);
    for (std::uint32_t i = 0; i < (code & 7u); ++i) tenths_of_ns *= 10;
    return fmt::format("{:.9g}", static_cast<double>(tenths_of_ns) / 10);
}

void add_block_length(FieldList& fields, const char* name, unsigned high, unsigned low) {
    const std::uint32_t code = fields.bits(high, low);
    if (code < 9 || code > 11) return fields.add(name, high, low, fmt::format("reserved ({})", code));
    fields.add(name, high, low, std::to_string(1u << code), "B");
}

void add_capacity(FieldList& fields, std::string_view csd, std::uint32_t structure) {
    const auto capacity = capacity_from_csd(csd);
    const std::string bytes = capacity ? std::to_string(capacity->count) : "reserved";
    const char* unit = capacity ? "B" : "";
    if (structure == 0) {
        fields.count("c_size", 73, 62);
        fields.count("c_size_mult", 49, 47);
        fields.add("capacity", 73, 47, bytes, unit);
    } else {
        const unsigned high = structure == 1 ? 69 : 75;
        fields.count("c_size", high, 48);
        fields.add("capacity", high, 48, bytes, unit);
    }
}

} // namespace

std::vector<IdentityRow> cid_rows(std::string_view cid) {
    const auto parsed = there(cid, detail::cid_digits);
    const auto card = decode_cid(cid);
    if (!parsed || !card) return {};
    FieldList fields("CID", *parsed);
    fields.add("manufacturer_id", 127, 120, fmt::format("0x{:02x}", card->manufacturer_id));
    fields.add("oem_id", 119, 104, card->oem_id);
    fields.add("product_name", 103, 64, card->product_name.empty() ? "(empty)" : card->product_name);
    fields.add("product_revision", 63, 56, card->revision);
    fields.add("serial", 55, 24, fmt::format("0x{:08x}", card->serial));
    fields.add("made", 19, 8, card->year == 0 ? "no month" : fmt::format("{}-{:02}", card->year, card->month));
    // Several host controllers replace the checksum by zeros.
    fields.add("checksum", 7, 1, fmt::format("0x{:02x}", fields.bits(7, 1)));
    return fields.done();
}

std::vector<IdentityRow> csd_rows(std::string_view csd) {
    const auto parsed = there(csd, detail::csd_digits);
    if (!parsed) return {};
    FieldList fields("CSD", *parsed);
    const std::uint32_t structure = fields.bits(127, 126);
    fields.code("structure", 127, 126, {{0, "1.0 (SDSC)"}, {1, "2.0 (SDHC, SDXC)"}, {2, "3.0 (SDUC)"}});
    // The field layout of later structure versions is unknown.
    if (structure > 2) return fields.done();
    fields.add("access_time", 119, 112, access_time(fields.bits(119, 112)), "ns");
    fields.count("access_clocks", 111, 104, "clocks x 100");
    fields.add("transfer_speed", 103, 96, transfer_speed(fields.bits(103, 96)), "Mbit/s per line");
    fields.set_bits("command_classes", 95, 84, {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"});
    add_block_length(fields, "read_block_length", 83, 80);
    fields.flag("read_partial_blocks", 79);
    fields.flag("write_block_misalign", 78);
    fields.flag("read_block_misalign", 77);
    fields.flag("driver_stage_register", 76);
    add_capacity(fields, csd, structure);
    fields.flag("erase_single_blocks", 46);
    fields.add("erase_sector_size", 45, 39, std::to_string(fields.bits(45, 39) + 1), "write blocks");
    fields.add("write_protect_group_size", 38, 32, std::to_string(fields.bits(38, 32) + 1), "erase sectors");
    fields.flag("write_protect_groups", 31);
    fields.code("write_speed_factor", 28, 26, {{0, "1"}, {1, "2"}, {2, "4"}, {3, "8"}, {4, "16"}, {5, "32"}},
                "x read time");
    add_block_length(fields, "write_block_length", 25, 22);
    fields.flag("write_partial_blocks", 21);
    fields.flag("file_format_group", 15);
    fields.flag("copy", 14);
    fields.flag("write_protected_for_good", 13);
    fields.flag("write_protected_for_now", 12);
    fields.code("file_format", 11, 10,
                {{0, "partition table"}, {1, "FAT without partitions"}, {2, "universal"}, {3, "other"}});
    return fields.done();
}

std::vector<IdentityRow> scr_rows(std::string_view scr) {
    const auto parsed = there(scr, detail::scr_digits);
    if (!parsed) return {};
    FieldList fields("SCR", *parsed);
    fields.code("structure", 63, 60, {{0, "1.0"}});
    if (fields.bits(63, 60) != 0) return fields.done();
    const std::string version = spec_version_from_scr(scr);
    fields.add("version", 59, 38, version.empty() ? "reserved" : version);
    fields.add("data_after_erase", 55, 55, std::to_string(fields.bits(55, 55)));
    fields.code("security", 54, 52,
                {{0, "none"}, {1, "not used"}, {2, "SDSC (1.01)"}, {3, "SDHC (2.00)"}, {4, "SDXC (3.xx)"}});
    fields.set_bits("bus_widths", 51, 48, {"1 bit", "bit 49", "4 bit", "bit 51"});
    fields.count("extended_security", 46, 43);
    fields.set_bits("commands", 36, 32, {"CMD20", "CMD23", "CMD48/49", "CMD58/59", "ACMD53/54"});
    return fields.done();
}

namespace {

const std::vector<const char*> voltage_names{"2.7-2.8 V", "2.8-2.9 V", "2.9-3.0 V", "3.0-3.1 V", "3.1-3.2 V",
                                             "3.2-3.3 V", "3.3-3.4 V", "3.4-3.5 V", "3.5-3.6 V"};

/// "0x…", at most eight digits.
std::optional<Register> ocr_from(std::string_view ocr) {
    constexpr std::size_t digits = 8;
    if (ocr.starts_with("0x")) ocr.remove_prefix(2);
    if (ocr.empty() || ocr.size() > digits) return std::nullopt;
    return there(std::string(digits - ocr.size(), '0') + std::string(ocr), digits);
}

/// Source: Linux, drivers/mmc/core/sd.c: the attribute is the result of mmc_select_voltage(), without the card's bits
/// for power-up and capacity.
std::vector<IdentityRow> host_voltage_rows(std::string_view ocr) {
    const auto parsed = ocr_from(ocr);
    if (!parsed) return {};
    FieldList fields("card", *parsed);
    fields.set_bits("host_voltages", 23, 15, voltage_names);
    auto rows = fields.done();
    rows.front().source = "ocr";
    return rows;
}

/// The kernel reports 0x404 for cards without the register.
bool has_driver_stage_register(std::string_view csd) {
    const auto parsed = there(csd, detail::csd_digits);
    return parsed && parsed->bits(76, 76) == 1;
}

} // namespace

std::vector<IdentityRow> ocr_rows(std::string_view ocr) {
    const auto parsed = ocr_from(ocr);
    if (!parsed) return {};
    FieldList fields("OCR", *parsed);
    fields.flag("powered_up", 31);
    fields.add("capacity_status", 30, 30,
               fields.bits(30, 30) == 1 ? "block addresses (SDHC, SDXC, SDUC)" : "byte addresses (SDSC)");
    fields.flag("uhs_2", 29);
    fields.flag("over_2_tb", 27);
    fields.flag("switched_to_1_8_v", 24);
    fields.set_bits("voltages", 23, 15, voltage_names);
    return fields.done();
}

std::vector<IdentityRow> sd_rows(const SdIdentity& sd) {
    std::vector<IdentityRow> rows;
    const auto append = [&](std::vector<IdentityRow> more) {
        for (IdentityRow& row : more) rows.push_back(std::move(row));
    };
    append(cid_rows(sd.cid));
    append(csd_rows(sd.csd));
    append(scr_rows(sd.scr));
    append(ssr_rows(sd.ssr, sd.scr));
    append(ocr_rows(sd.ocr));
    append(host_voltage_rows(sd.host_ocr));
    const auto add = [&](const char* name, const std::string& value, const char* unit) {
        if (!value.empty()) rows.push_back({"card", name, typeable(value), unit, name});
    };
    const auto bytes = [](const std::optional<Bytes>& size) { return size ? std::to_string(size->count) : ""; };
    add("rca", sd.rca, "");
    if (has_driver_stage_register(sd.csd)) add("dsr", sd.dsr, "");
    add("fwrev", sd.fwrev, "");
    add("hwrev", sd.hwrev, "");
    add("erase_size", bytes(sd.erase_size), "B");
    add("preferred_erase_size", bytes(sd.preferred_erase_size), "B");
    const auto add_bus = [&](const char* name, const std::string& value, const char* unit) {
        if (!value.empty() && value != "0") rows.push_back({"card", name, typeable(value), unit, "ios"});
    };
    add_bus("bus_timing", sd.bus_timing, "");
    add_bus("bus_clock", std::to_string(sd.bus_clock_hz), "Hz");
    add_bus("bus_width", std::to_string(sd.bus_width), "lines");
    const auto add_supply = [&](const char* name, const std::optional<std::uint32_t>& microamperes) {
        if (microamperes) rows.push_back({"card", name, fmt::format("{:.1f}", *microamperes / 1000.0), "mA", "nest"});
    };
    add_supply("supply_at_rest", sd.supply_rest_ua);
    add_supply("supply_highest", sd.supply_most_ua);
    return rows;
}

} // namespace mediarig::media
