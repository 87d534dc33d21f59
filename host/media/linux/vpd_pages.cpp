// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/linux/vpd_pages.hpp"

#include <fmt/format.h>

#include "host/media/text.hpp"

namespace mediarig::media {
namespace {

unsigned byte_at(std::string_view data, std::size_t index) {
    return static_cast<unsigned char>(data[index]);
}

/// What follows the four-byte header, as far as the page really goes; empty where this is another page.
std::string_view payload(std::string_view page, unsigned code) {
    constexpr std::size_t header = 4;
    if (page.size() < header || byte_at(page, 1) != code) return {};
    const std::size_t claimed = byte_at(page, 2) << 8 | byte_at(page, 3);
    return page.substr(header, claimed);
}

std::string hex(std::string_view bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) text += fmt::format("{:02x}", byte_at(bytes, i));
    return text;
}

struct Designator {
    int rank{}; ///< higher is more specific; 0 is none
    std::string text;
};

bool all_zero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == std::string_view::npos;
}

Designator decode(unsigned type, std::string_view value) {
    constexpr unsigned t10_vendor = 1, eui64 = 2, naa = 3, scsi_name = 8;
    if (value.empty() || all_zero(value)) return {};
    switch (type) {
        case naa:
            // Extended registered (6) names the unit, the shorter ones may name the device only.
            return {value.size() == 16 ? 6 : value.size() == 8 ? 5 : 0, "naa." + hex(value)};
        case eui64:
            return {4, "eui." + hex(value)};
        case scsi_name:
            return {3, printable(value)};
        case t10_vendor:
            return {2, "t10." + printable(value)};
        default:
            return {};
    }
}

} // namespace

std::string unit_serial_from_vpd(std::string_view page) {
    return printable(payload(page, 0x80));
}

std::string designator_from_vpd(std::string_view page) {
    constexpr std::size_t header = 4;
    constexpr unsigned of_logical_unit = 0;
    Designator best;
    for (std::string_view rest = payload(page, 0x83); rest.size() >= header;) {
        const unsigned association = (byte_at(rest, 1) >> 4) & 3u;
        const std::size_t length = byte_at(rest, 3);
        if (rest.size() < header + length) break;
        if (association == of_logical_unit) {
            Designator found = decode(byte_at(rest, 1) & 0xFu, rest.substr(header, length));
            if (found.rank > best.rank) best = std::move(found);
        }
        rest.remove_prefix(header + length);
    }
    return best.rank == 0 ? std::string() : best.text;
}

} // namespace mediarig::media
