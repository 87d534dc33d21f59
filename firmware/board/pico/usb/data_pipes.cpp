// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/usb/data_pipes.hpp"

#include <algorithm>
#include <array>

#include "firmware/board/pico/chip/byte_ring.hpp"
#include "firmware/board/pico/usb/controller.hpp"

namespace mediarig::pico::usb {
namespace {

/// One byte less than the maximum. Every packet is then short, and the host never waits for another packet to detect
/// the end.
constexpr std::size_t most_at_once = packet_size - 1;

ByteRing<512> received;
ByteRing<1024> to_send;

struct Pipe {
    const Endpoint& endpoint;
    Pid pid = Pid::data0;
    bool armed = false; ///< the controller owns its buffer
    bool halted = false;
    std::size_t length = 0;
};
Pipe in{data_in}, out{data_out}, notify{notification};
bool running = false;
PacketCounts counts{};

void arm_in_if_due() {
    if (!running || in.armed || in.halted || to_send.empty()) return;
    in.length = std::min(to_send.used(), most_at_once);
    volatile std::uint8_t* const buffer = buffer_of(data_in);
    for (std::size_t i = 0; i < in.length; ++i) buffer[i] = to_send.pop();
    in.armed = true;
    arm_in(data_in, in.pid, in.length);
}

/// Arm only with space for a whole packet: until then the host waits, and no data is lost.
void arm_out_if_due() {
    if (!running || out.armed || out.halted || received.free_space() < packet_size) return;
    out.armed = true;
    arm_out(data_out, out.pid);
}

void begin(Pipe& pipe) {
    pipe.pid = Pid::data0;
    pipe.armed = pipe.halted = false;
}

Pipe* pipe_of(std::uint8_t endpoint) {
    switch (endpoint) {
        case 0x81:
            return &notify;
        case 0x02:
            return &out;
        case 0x82:
            return &in;
        default:
            return nullptr;
    }
}

} // namespace

void start_data() {
    stop_data();
    enable(notification, TransferType::interrupt);
    enable(data_out, TransferType::bulk);
    enable(data_in, TransferType::bulk);
    running = true;
    arm_out_if_due();
}

void stop_data() {
    running = false;
    for (Pipe* pipe : {&in, &out, &notify}) {
        disable(pipe->endpoint);
        begin(*pipe);
    }
    to_send.clear();
}

void data_in_done() {
    ++counts.in;
    in.armed = false;
    in.pid = other(in.pid);
    arm_in_if_due();
}

void data_out_done() {
    ++counts.out;
    out.armed = false;
    out.pid = other(out.pid);
    const volatile std::uint8_t* const buffer = buffer_of(data_out);
    const std::size_t length = received_length(data_out);
    for (std::size_t i = 0; i < length; ++i) received.push(buffer[i]);
    arm_out_if_due();
}

bool set_halted(std::uint8_t endpoint, bool halted) {
    Pipe* const pipe = pipe_of(endpoint);
    if (pipe == nullptr) return false;
    pipe->halted = halted;
    if (halted) {
        stall(pipe->endpoint);
        return true;
    }
    // Release the endpoint even if it was not halted: hosts use this request to restart with DATA0.
    release(pipe->endpoint);
    pipe->pid = Pid::data0;
    const bool had_buffer = pipe->armed;
    if (pipe == &in && had_buffer) {
        arm_in(data_in, in.pid, in.length); // the bytes are still in the buffer
    } else if (pipe == &out) {
        out.armed = false;
        arm_out_if_due();
    }
    return true;
}

bool is_halted(std::uint8_t endpoint) {
    const Pipe* const pipe = pipe_of(endpoint);
    return pipe != nullptr && pipe->halted;
}

std::size_t take(std::span<std::uint8_t> into) {
    std::size_t count = 0;
    while (count < into.size() && !received.empty()) into[count++] = received.pop();
    arm_out_if_due();
    return count;
}

std::size_t free_space() {
    return to_send.free_space();
}

void put(std::span<const std::uint8_t> bytes) {
    for (const std::uint8_t byte : bytes) to_send.push(byte);
    arm_in_if_due();
}

bool has_unfetched_packet() {
    return in.armed;
}

PacketCounts packet_counts() {
    return counts;
}

} // namespace mediarig::pico::usb
