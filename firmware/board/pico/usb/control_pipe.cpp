// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/usb/control_pipe.hpp"

#include <algorithm>
#include <array>

#include "firmware/board/pico/usb/controller.hpp"
#include "firmware/board/pico/usb/data_pipes.hpp"
#include "firmware/board/pico/usb/descriptors.hpp"

namespace mediarig::pico::usb {
namespace {

struct Setup {
    std::uint8_t type, request;
    std::uint16_t value, index, length;

    enum class Kind : std::uint8_t { standard, of_class, other };
    [[nodiscard]] Kind kind() const {
        const unsigned bits = type >> 5 & 3u;
        return bits == 0 ? Kind::standard : bits == 1 ? Kind::of_class : Kind::other;
    }
    [[nodiscard]] bool to_host() const { return (type & 0x80) != 0; }
    [[nodiscard]] bool to_endpoint() const { return (type & 0x1F) == 2; }
};

enum Standard : std::uint8_t {
    get_status = 0,
    clear_feature = 1,
    set_feature = 3,
    set_address = 5,
    get_descriptor = 6,
    get_configuration = 8,
    set_configuration = 9,
    get_interface = 10,
    set_interface = 11
};
enum Cdc : std::uint8_t {
    set_line_coding = 0x20,
    get_line_coding = 0x21,
    set_control_line_state = 0x22,
    send_break = 0x23
};
constexpr std::uint16_t feature_endpoint_halt = 0;
constexpr std::size_t line_coding_size = 7;

enum class Stage : std::uint8_t { idle, sending, receiving, status_in, status_out };

Stage stage = Stage::idle;
std::span<const std::uint8_t> left_to_send;
bool short_packet_owed = false;
Pid next_pid = Pid::data1;
std::uint8_t new_address = 0;
std::uint8_t configuration = 0;
volatile bool data_terminal_ready = false;
// 115200 8N1 until the host sets another value. It has no effect, but must be readable.
std::array<std::uint8_t, line_coding_size> line_coding{0x00, 0xC2, 0x01, 0x00, 0, 0, 8};
std::array<std::uint8_t, 2> small_answer{};

void send_packet() {
    const std::size_t size = std::min(left_to_send.size(), packet_size);
    volatile std::uint8_t* const buffer = buffer_of(control_in);
    for (std::size_t i = 0; i < size; ++i) buffer[i] = left_to_send[i];
    left_to_send = left_to_send.subspan(size);
    // A full last packet does not mark the end, unless it completes the requested length.
    if (size < packet_size) short_packet_owed = false;
    arm_in(control_in, next_pid, size);
    next_pid = other(next_pid);
}

void answer(const Setup& setup, std::span<const std::uint8_t> bytes) {
    left_to_send = bytes.first(std::min<std::size_t>(bytes.size(), setup.length));
    short_packet_owed = bytes.size() < setup.length;
    stage = Stage::sending;
    send_packet();
}

void acknowledge() {
    stage = Stage::status_in;
    arm_in(control_in, Pid::data1, 0);
}

void refuse() {
    stage = Stage::idle;
    stall(control_in);
    stall(control_out);
}

void describe(const Setup& setup) {
    const auto index = static_cast<std::uint8_t>(setup.value & 0xFF);
    std::span<const std::uint8_t> found;
    switch (setup.value >> 8) {
        case 1:
            found = device_descriptor();
            break;
        case 2:
            if (index == 0) found = configuration_descriptor();
            break;
        case 3:
            found = string_descriptor(index);
            break;
        default:
            break; // there is no other speed to describe
    }
    if (found.empty()) return refuse();
    answer(setup, found);
}

void answer_small(const Setup& setup, std::uint8_t first, std::size_t size) {
    small_answer = {first, 0};
    answer(setup, std::span(small_answer).first(size));
}

void configure(const Setup& setup) {
    if (setup.value > 1) return refuse();
    configuration = static_cast<std::uint8_t>(setup.value);
    if (configuration != 0)
        start_data();
    else
        stop_data();
    acknowledge();
}

void feature(const Setup& setup, bool halt) {
    if (!setup.to_endpoint() || setup.value != feature_endpoint_halt) return refuse();
    const auto number = static_cast<std::uint8_t>(setup.index & 0xFF);
    if ((number & 0x7F) != 0 && (configuration == 0 || !set_halted(number, halt))) return refuse();
    acknowledge();
}

void standard_request(const Setup& setup) {
    switch (setup.request) {
        case get_status:
            return answer_small(setup, setup.to_endpoint() && is_halted(static_cast<std::uint8_t>(setup.index)) ? 1 : 0,
                                2);
        case clear_feature:
            return feature(setup, false);
        case set_feature:
            return feature(setup, true);
        case set_address:
            new_address = static_cast<std::uint8_t>(setup.value & 0x7F);
            return acknowledge();
        case get_descriptor:
            return describe(setup);
        case get_configuration:
            return answer_small(setup, configuration, 1);
        case set_configuration:
            return configure(setup);
        case get_interface:
            if (configuration == 0 || setup.index > 1) return refuse();
            return answer_small(setup, 0, 1);
        case set_interface:
            if (configuration == 0 || setup.index > 1 || setup.value != 0) return refuse();
            return acknowledge();
        default:
            return refuse();
    }
}

void class_request(const Setup& setup) {
    switch (setup.request) {
        case set_line_coding:
            if (setup.length != line_coding_size) return refuse();
            stage = Stage::receiving;
            return arm_out(control_out, Pid::data1);
        case get_line_coding:
            return answer(setup, line_coding);
        case set_control_line_state:
            data_terminal_ready = (setup.value & 1) != 0;
            return acknowledge();
        case send_break:
            return acknowledge();
        default:
            return refuse();
    }
}

} // namespace

void control_bus_reset() {
    reg(address) = 0;
    new_address = 0;
    configuration = 0;
    data_terminal_ready = false;
    stage = Stage::idle;
    release(control_in);
    release(control_out);
    stop_data();
}

void control_setup() {
    // Ends any pending transfer or stall. Both directions begin with DATA1 after a SETUP.
    release(control_in);
    release(control_out);
    stage = Stage::idle;
    new_address = 0;
    next_pid = Pid::data1;
    const std::uint32_t first = reg(dpram), second = reg(dpram + 4);
    const Setup setup{.type = static_cast<std::uint8_t>(first),
                      .request = static_cast<std::uint8_t>(first >> 8),
                      .value = static_cast<std::uint16_t>(first >> 16),
                      .index = static_cast<std::uint16_t>(second),
                      .length = static_cast<std::uint16_t>(second >> 16)};
    switch (setup.kind()) {
        case Setup::Kind::standard:
            return standard_request(setup);
        case Setup::Kind::of_class:
            return class_request(setup);
        case Setup::Kind::other:
            return refuse();
    }
}

void control_in_done() {
    if (stage == Stage::sending) {
        if (!left_to_send.empty() || short_packet_owed) return send_packet();
        stage = Stage::status_out;
        return arm_out(control_out, Pid::data1);
    }
    if (stage == Stage::status_in) {
        stage = Stage::idle;
        // The acknowledgement was still sent from the old address.
        if (new_address != 0) reg(address) = new_address;
        new_address = 0;
    }
}

void control_out_done() {
    if (stage != Stage::receiving) { // the status stage of an answer
        stage = Stage::idle;
        return;
    }
    if (received_length(control_out) != line_coding_size) return refuse();
    const volatile std::uint8_t* const buffer = buffer_of(control_out);
    for (std::size_t i = 0; i < line_coding_size; ++i) line_coding[i] = buffer[i];
    acknowledge();
}

bool is_configured() {
    return configuration != 0;
}

bool port_is_open() {
    return data_terminal_ready;
}

} // namespace mediarig::pico::usb
