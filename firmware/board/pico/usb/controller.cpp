// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/usb/controller.hpp"

namespace mediarig::pico::usb {
namespace {

constexpr std::uint32_t available = 1u << 10, stalled = 1u << 11, pid_bit = 1u << 13, full = 1u << 15;
constexpr std::uint32_t length_mask = 0x3FF;
constexpr std::uint32_t endpoint_enable = 1u << 31, interrupt_per_buffer = 1u << 29;

/// The controller reads the word in another clock domain: all other bits must be valid for one of its clock cycles
/// before AVAILABLE is set (4.1.2.5.1). 12 cycles of 125 MHz are four of 48 MHz.
void hand_over(const Endpoint& endpoint, std::uint32_t what) {
    asm volatile("dmb" : : : "memory"); // completes the writes of the data and the clearing of BUFF_STATUS
    reg(endpoint.buffer_control()) = what;
    asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop" : : : "memory");
    reg(endpoint.buffer_control()) = what | available;
}

std::uint32_t pid_of(Pid pid) {
    return pid == Pid::data1 ? pid_bit : 0;
}

} // namespace

void enable(const Endpoint& endpoint, TransferType transfer) {
    reg(endpoint.control()) =
        endpoint_enable | interrupt_per_buffer | static_cast<std::uint32_t>(transfer) << 26 | endpoint.buffer;
}

void disable(const Endpoint& endpoint) {
    reg(endpoint.control()) = 0;
    release(endpoint);
}

void arm_in(const Endpoint& endpoint, Pid pid, std::size_t length) {
    hand_over(endpoint, full | pid_of(pid) | (static_cast<std::uint32_t>(length) & length_mask));
}

void arm_out(const Endpoint& endpoint, Pid pid) {
    hand_over(endpoint, pid_of(pid) | packet_size);
}

void stall(const Endpoint& endpoint) {
    // For endpoint 0 the stall must also be armed; the next SETUP disarms it.
    if (endpoint.number == 0) set_bits(stall_arm, endpoint.way == TransferDirection::in ? 1u : 2u);
    reg(endpoint.buffer_control()) = stalled;
}

void release(const Endpoint& endpoint) {
    reg(endpoint.buffer_control()) = 0;
}

std::size_t received_length(const Endpoint& endpoint) {
    return reg(endpoint.buffer_control()) & length_mask;
}

} // namespace mediarig::pico::usb
