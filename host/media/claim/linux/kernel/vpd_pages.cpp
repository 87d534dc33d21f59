// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/vpd_pages.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

unsigned page_byte(std::string_view data, std::size_t index) {
    return static_cast<unsigned char>(data[index]);
}

/// Data after the four-byte header, limited to the actual length of the page; empty if the page has another code.
std::string_view payload(std::string_view page, unsigned code) {
    constexpr std::size_t header = 4;
    if (page.size() < header || page_byte(page, 1) != code) return {};
    const std::size_t claimed = page_byte(page, 2) << 8 | page_byte(page, 3);
    return page.substr(header, claimed);
}

std::string hex(std::string_view bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) text += fmt::format("{:02x}", page_byte(bytes, i));
    return text;
}

/// Big-endian number at an offset into the payload; bytes after the end count as 0.
std::uint64_t number_at(std::string_view data, std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | (at + i < data.size() ? page_byte(data, at + i) : 0);
    return value;
}
std::uint32_t word_at(std::string_view data, std::size_t at) {
    return static_cast<std::uint32_t>(number_at(data, at, 4));
}

struct Designator {
    int rank{}; ///< higher is more specific; 0: no name
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
            // NAA type 6 (extended registered) names the logical unit; shorter names may name only the device.
            return {value.size() == 16 ? 6 : value.size() == 8 ? 5 : 0, "naa." + hex(value)};
        case eui64:
            return {4, "eui." + hex(value)};
        case scsi_name:
            return {3, typeable(value)};
        case t10_vendor:
            return {2, "t10." + typeable(value)};
        default:
            return {};
    }
}

/// One entry of page 0x83, limited to the actual length of the page.
struct VpdEntry {
    unsigned association{}, type{}, code_set{};
    std::string_view value;
};

std::vector<VpdEntry> entries_of(std::string_view page) {
    constexpr std::size_t header = 4;
    std::vector<VpdEntry> entries;
    for (std::string_view rest = payload(page, 0x83); rest.size() >= header;) {
        const std::size_t length = page_byte(rest, 3);
        if (rest.size() < header + length) break;
        entries.push_back({.association = (page_byte(rest, 1) >> 4) & 3u,
                           .type = page_byte(rest, 1) & 0xFu,
                           .code_set = page_byte(rest, 0) & 0xFu,
                           .value = rest.substr(header, length)});
        rest.remove_prefix(header + length);
    }
    return entries;
}

std::string type_name(unsigned type) {
    constexpr std::array<const char*, 11> names{"vendor",     "t10", "eui64", "naa",      "relative_port", "port_group",
                                                "unit_group", "md5", "name",  "protocol", "uuid"};
    return type < names.size() ? names.at(type) : fmt::format("type_{}", type);
}

std::string value_text(const VpdEntry& entry) {
    constexpr unsigned ascii = 2, utf8 = 3;
    if (Designator known = decode(entry.type, entry.value); known.rank != 0) return known.text;
    return entry.code_set == ascii || entry.code_set == utf8 ? typeable(entry.value) : hex(entry.value);
}

} // namespace

std::string unit_serial_from_vpd(std::string_view page) {
    return typeable(payload(page, 0x80));
}

std::string designator_from_vpd(std::string_view page) {
    constexpr unsigned of_logical_unit = 0;
    Designator best;
    for (const VpdEntry& entry : entries_of(page)) {
        if (entry.association != of_logical_unit) continue;
        Designator found = decode(entry.type, entry.value);
        if (found.rank > best.rank) best = std::move(found);
    }
    return best.rank == 0 ? std::string() : best.text;
}

std::optional<ScsiInquiry> inquiry_from(std::string_view data) {
    constexpr std::size_t shortest = 5;
    if (data.size() < shortest) return std::nullopt;
    return ScsiInquiry{.peripheral_type = static_cast<std::uint8_t>(page_byte(data, 0) & 0x1Fu),
                       .removable = (page_byte(data, 1) & 0x80u) != 0,
                       .version = static_cast<std::uint8_t>(page_byte(data, 2))};
}

std::vector<std::uint32_t> pages_from_vpd(std::string_view page) {
    std::vector<std::uint32_t> codes;
    const std::string_view listed = payload(page, 0x00).substr(0, 256);
    for (std::size_t i = 0; i < listed.size(); ++i) codes.push_back(page_byte(listed, i));
    return codes;
}

std::vector<ScsiDesignator> designators_from_vpd(std::string_view page) {
    constexpr std::array<const char*, 4> associations{"unit", "port", "target", "reserved"};
    constexpr std::size_t most = 32;
    std::vector<ScsiDesignator> found;
    for (const VpdEntry& entry : entries_of(page)) {
        if (found.size() == most) break;
        found.push_back({associations.at(entry.association), type_name(entry.type), value_text(entry)});
    }
    return found;
}

std::optional<ScsiBlockLimits> block_limits_from_vpd(std::string_view page) {
    const std::string_view data = payload(page, 0xB0);
    if (data.empty()) return std::nullopt;
    constexpr std::uint32_t alignment_valid = 0x80000000;
    // Offsets are those of the standard minus the four-byte header.
    ScsiBlockLimits limits{.max_transfer = word_at(data, 4),
                           .optimal_transfer = word_at(data, 8),
                           .optimal_granularity = static_cast<std::uint32_t>(number_at(data, 2, 2)),
                           .max_unmap = word_at(data, 16),
                           .max_unmap_descriptors = word_at(data, 20),
                           .unmap_granularity = word_at(data, 24),
                           .unmap_alignment = std::nullopt,
                           .max_write_same = number_at(data, 32, 8)};
    if (const std::uint32_t alignment = word_at(data, 28); (alignment & alignment_valid) != 0)
        limits.unmap_alignment = alignment & ~alignment_valid;
    return limits;
}

std::optional<ScsiCharacteristics> characteristics_from_vpd(std::string_view page) {
    const std::string_view data = payload(page, 0xB1);
    if (data.empty()) return std::nullopt;
    return ScsiCharacteristics{.rotation_rate = static_cast<std::uint32_t>(number_at(data, 0, 2)),
                               .form_factor = static_cast<std::uint8_t>(number_at(data, 3, 1) & 0xFu)};
}

std::optional<ScsiProvisioning> provisioning_from_vpd(std::string_view page) {
    const std::string_view data = payload(page, 0xB2);
    if (data.empty()) return std::nullopt;
    const auto flags = static_cast<unsigned>(number_at(data, 1, 1));
    return ScsiProvisioning{.unmap = (flags & 0x80u) != 0,
                            .write_same = (flags & 0x40u) != 0,
                            .write_same_10 = (flags & 0x20u) != 0,
                            .zeroes_after = static_cast<std::uint8_t>(flags >> 2 & 7u),
                            .type = static_cast<std::uint8_t>(number_at(data, 2, 1) & 7u)};
}

} // namespace mediarig::media
