// SPDX-License-Identifier: GPL-3.0-or-later
/// Defines the registers of the RP2040's USB device controller (datasheet 4.1) and hands buffers over to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "firmware/board/pico/chip/registers.hpp"

namespace mediarig::pico::usb {

inline constexpr Address address = 0x50110000, main_ctrl = 0x50110040, sie_ctrl = 0x5011004C, sof_rd = 0x50110048,
                         sie_status = 0x50110050, buff_status = 0x50110058, stall_arm = 0x50110068, muxing = 0x50110074,
                         power = 0x50110078, inte = 0x50110090, ints = 0x50110098;
inline constexpr std::uint32_t controller_enable = 1, to_phy_soft_connect = 9, vbus_assumed = 0xC;
inline constexpr std::uint32_t ep0_interrupt = 1u << 29, pull_up = 1u << 16;
inline constexpr std::uint32_t setup_received = 1u << 17, bus_reset_seen = 1u << 19, suspended = 1u << 4; // SIE_STATUS
inline constexpr std::uint32_t int_buffer = 1u << 4, int_bus_reset = 1u << 12, int_setup = 1u << 16;

inline constexpr Address dpram = 0x50100000;
inline constexpr std::size_t dpram_size = 4096;

enum class TransferDirection : std::uint8_t { in, out }; ///< named from the view of the host

/// Addresses of an endpoint in the controller's memory.
struct Endpoint {
    std::uint8_t number;
    TransferDirection way;
    std::uint16_t buffer; ///< offset in DPRAM, a multiple of 64

    [[nodiscard]] constexpr Address control() const {
        return dpram + 8 + 8 * (number - 1u) + (way == TransferDirection::out ? 4u : 0u);
    }
    [[nodiscard]] constexpr Address buffer_control() const {
        return dpram + 0x80 + 8u * number + (way == TransferDirection::out ? 4u : 0u);
    }
    /// Bit of the endpoint in BUFF_STATUS.
    [[nodiscard]] constexpr std::uint32_t done_bit() const {
        return 1u << (2 * number + (way == TransferDirection::out ? 1 : 0));
    }
};
inline constexpr std::size_t packet_size = 64;
// Endpoint 0 has one buffer for both directions, at an address fixed by the hardware.
inline constexpr Endpoint control_in{0, TransferDirection::in, 0x100}, control_out{0, TransferDirection::out, 0x100},
    notification{1, TransferDirection::in, 0x180}, data_out{2, TransferDirection::out, 0x1C0},
    data_in{2, TransferDirection::in, 0x200};

enum class TransferType : std::uint8_t { bulk = 2, interrupt = 3 };
void enable(const Endpoint& endpoint, TransferType transfer);
void disable(const Endpoint& endpoint);

/// Data toggle of the next packet.
enum class Pid : std::uint8_t { data0 = 0, data1 = 1 };
[[nodiscard]] constexpr Pid other(Pid pid) {
    return pid == Pid::data0 ? Pid::data1 : Pid::data0;
}

/// Releases the packet in the endpoint's buffer to the host.
void arm_in(const Endpoint& endpoint, Pid pid, std::size_t length);
/// Allows the host to send one packet into the endpoint's buffer.
void arm_out(const Endpoint& endpoint, Pid pid);
/// Answers all transfers with STALL until `release`.
void stall(const Endpoint& endpoint);
/// Takes the buffer back: neither direction is armed.
void release(const Endpoint& endpoint);

/// Returns the length of the last received packet.
[[nodiscard]] std::size_t received_length(const Endpoint& endpoint);

inline volatile std::uint8_t* buffer_of(const Endpoint& endpoint) {
    return reinterpret_cast<volatile std::uint8_t*>(dpram + endpoint.buffer);
}

} // namespace mediarig::pico::usb
