// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/external_ports.hpp"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <string_view>

namespace mediarig::lab {
namespace {

/// AML encoder: each function returns the encoding of one term.
std::string bytes(std::initializer_list<unsigned> values) {
    std::string text;
    for (const unsigned value : values) text += static_cast<char>(value);
    return text;
}

/// PkgLength includes its own size: one byte up to 63, else the low four bits and a byte for the next eight.
std::string with_length(const std::string& content) {
    constexpr std::size_t longest_short = 63;
    const std::size_t shortly = content.size() + 1;
    if (shortly <= longest_short) return bytes({static_cast<unsigned>(shortly)}) + content;
    const auto length = static_cast<unsigned>(content.size() + 2);
    return bytes({0x40U | (length & 0xFU), length >> 4U}) + content;
}

std::string package(std::initializer_list<std::string> elements) {
    std::string content = bytes({static_cast<unsigned>(elements.size())});
    for (const std::string& element : elements) content += element;
    return bytes({0x12}) + with_length(content);
}

std::string text(std::string_view value) {
    return bytes({0x0D}) + std::string(value) + bytes({0});
}

std::string byte_number(unsigned value) {
    return bytes({0x0A, value});
}

std::string buffer(const std::string& content) {
    return bytes({0x11}) + with_length(byte_number(static_cast<unsigned>(content.size())) + content);
}

/// EFCC06CC-73AC-4BC3-BFF0-76143807C389: "these ports are exposed".
std::string external_facing_uuid() {
    return bytes({0xCC, 0x06, 0xCC, 0xEF, 0xAC, 0x73, 0xC3, 0x4B, 0xBF, 0xF0, 0x76, 0x14, 0x38, 0x07, 0xC3, 0x89});
}

/// Scope (\_SB.PCI0.Sxx) { Name (_DSD, Package { uuid, Package { {"ExternalFacingPort", 1}, {"UID", number} } }) }
std::string external_port(std::uint32_t port, unsigned number) {
    // QEMU derives a device name from slot and function as one number.
    const std::string path = bytes({'\\', 0x2F, 3}) + "_SB_PCI0" + fmt::format("S{:02X}_", port << 3U);
    const std::string properties =
        package({package({text("ExternalFacingPort"), byte_number(1)}), package({text("UID"), byte_number(number)})});
    const std::string name = bytes({0x08}) + "_DSD" + package({buffer(external_facing_uuid()), properties});
    return bytes({0x10}) + with_length(path + name);
}

std::string little_endian(std::uint32_t value) {
    return bytes({value & 0xFFU, value >> 8U & 0xFFU, value >> 16U & 0xFFU, value >> 24U});
}

} // namespace

std::vector<std::uint32_t> external_ports(const SlotLayout& layout) {
    std::vector<std::uint32_t> ports;
    for (const PlacedSlot& slot : layout.slots)
        if (slot.slot.kind == SlotKind::nvme) ports.push_back(slot.pci);
    return ports;
}

std::string external_ports_table(const std::vector<std::uint32_t>& ports) {
    constexpr std::size_t header_size = 36, checksum_at = 9;
    constexpr unsigned revision = 2;
    std::string content;
    for (unsigned number = 0; const std::uint32_t port : ports) content += external_port(port, number++);
    const auto length = static_cast<std::uint32_t>(header_size + content.size());
    std::string table = "SSDT" + little_endian(length) + bytes({revision, 0}) + "MEDRIG" + "EXTPORTS" +
                        little_endian(1) + "MDRG" + little_endian(1) + content;
    unsigned sum = 0;
    for (const char c : table) sum += static_cast<unsigned char>(c);
    table[checksum_at] = static_cast<char>(0x100U - (sum & 0xFFU));
    return table;
}

} // namespace mediarig::lab
