// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/usb/descriptors.hpp"

#include <algorithm>
#include <string_view>

#include "common/rigproto/usb_identity.hpp"

namespace mediarig::pico::usb {
namespace {

constexpr std::uint8_t low(unsigned value) {
    return static_cast<std::uint8_t>(value & 0xFF);
}
constexpr std::uint8_t high(unsigned value) {
    return static_cast<std::uint8_t>(value >> 8 & 0xFF);
}

constexpr std::uint8_t type_device = 1, type_configuration = 2, type_string = 3, type_interface = 4, type_endpoint = 5,
                       type_association = 11, type_class_interface = 0x24;
constexpr std::uint8_t class_communication = 2, subclass_acm = 2, class_data = 10;
constexpr std::uint8_t endpoint_bulk = 2, endpoint_interrupt = 3;

// One line per descriptor or group of fields.
// clang-format off
constexpr std::array<std::uint8_t, 18> device{
    18, type_device, 0x00, 0x02,               // USB 2.0
    0xEF, 0x02, 0x01,                          // functions are grouped by association
    64,                                        // packet size of endpoint 0
    low(rigproto::usb_vendor), high(rigproto::usb_vendor), low(rigproto::usb_product), high(rigproto::usb_product),
    0x00, 0x01,                                // release 1.00
    1, 2, 3,                                   // StringIndex
    1};                                        // configuration

constexpr unsigned configuration_size = 75;
constexpr std::array<std::uint8_t, configuration_size> configuration{
    9, type_configuration, low(configuration_size), high(configuration_size), 2, 1, 0,
    0x80, 50,                                  // bus-powered, 100 mA
    8, type_association, 0, 2, class_communication, subclass_acm, 0, 0,
    9, type_interface, 0, 0, 1, class_communication, subclass_acm, 0, 0,
    5, type_class_interface, 0x00, 0x10, 0x01, // header: CDC 1.10
    5, type_class_interface, 0x01, 0x00, 1,    // call management: none, data interface 1
    4, type_class_interface, 0x02, 0x02,       // ACM: line coding and control line state
    5, type_class_interface, 0x06, 0, 1,       // union: interface 0 controls interface 1
    7, type_endpoint, 0x81, endpoint_interrupt, 8, 0, 16,
    9, type_interface, 1, 0, 2, class_data, 0, 0, 0,
    7, type_endpoint, 0x02, endpoint_bulk, 64, 0, 0,
    7, type_endpoint, 0x82, endpoint_bulk, 64, 0, 0};
// clang-format on

constexpr std::string_view manufacturer = "mediarig", no_serial = "no-unique-id";
constexpr std::size_t longest_string = 16;
static_assert(manufacturer.size() <= longest_string && rigproto::usb_product_name.size() <= longest_string);

std::array<char, longest_string> serial_text{};
std::size_t serial_length = 0;
std::array<std::uint8_t, 2 + 2 * longest_string> string_buffer{};

} // namespace

std::span<const std::uint8_t> device_descriptor() {
    return device;
}
std::span<const std::uint8_t> configuration_descriptor() {
    return configuration;
}

void set_serial(const std::array<std::uint8_t, 8>& unique_id) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    serial_length = 0;
    if (std::ranges::all_of(unique_id, [](std::uint8_t byte) { return byte == 0; })) {
        for (const char c : no_serial) serial_text[serial_length++] = c;
        return;
    }
    for (const std::uint8_t byte : unique_id) {
        serial_text[serial_length++] = digits[byte >> 4];
        serial_text[serial_length++] = digits[byte & 0xF];
    }
}

std::span<const std::uint8_t> string_descriptor(std::uint8_t index) {
    std::string_view text;
    switch (StringIndex{index}) {
        case StringIndex::languages: {
            static constexpr std::array<std::uint8_t, 4> english{4, type_string, 0x09, 0x04};
            return english;
        }
        case StringIndex::manufacturer:
            text = manufacturer;
            break;
        case StringIndex::product:
            text = rigproto::usb_product_name;
            break;
        case StringIndex::serial:
            text = {serial_text.data(), serial_length};
            break;
        default:
            return {};
    }
    const std::size_t size = 2 + 2 * text.size();
    string_buffer[0] = static_cast<std::uint8_t>(size);
    string_buffer[1] = type_string;
    for (std::size_t i = 0; i < text.size(); ++i) { // UTF-16
        string_buffer[2 + 2 * i] = static_cast<std::uint8_t>(text[i]);
        string_buffer[3 + 2 * i] = 0;
    }
    return std::span(string_buffer).first(size);
}

} // namespace mediarig::pico::usb
