// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/usb/usb_link.hpp"

#include <limits>

#include "firmware/board/pico/chip/clocks.hpp"
#include "firmware/board/pico/chip/interrupts.hpp"
#include "firmware/board/pico/usb/control_pipe.hpp"
#include "firmware/board/pico/usb/controller.hpp"
#include "firmware/board/pico/usb/data_pipes.hpp"
#include "firmware/board/pico/usb/descriptors.hpp"
#include "firmware/core/link/usb_watch.hpp"

namespace mediarig::pico::usb_link {

namespace {

/// Long enough for any hub and host to detect the disconnection (a hub needs 2.5 us, USB 2.0, 7.1.7.3).
constexpr std::uint32_t detached_us = 100'000;

firmware::UsbWatch usb_watch;
bool detached = false;
std::uint32_t detached_at = 0;

void attach() {
    // Clear old endpoints and buffers; the memory has no reset value.
    for (Address word = usb::dpram; word < usb::dpram + usb::dpram_size; word += 4) reg(word) = 0;
    reg(usb::muxing) = usb::to_phy_soft_connect;
    reg(usb::power) = usb::vbus_assumed;
    reg(usb::main_ctrl) = usb::controller_enable;
    reg(usb::sie_ctrl) = usb::ep0_interrupt;
    reg(usb::inte) = usb::int_buffer | usb::int_bus_reset | usb::int_setup;
    enable_interrupt(cortex::irq_usb, Priority::links);
    set_bits(usb::sie_ctrl, usb::pull_up);
}

/// Without the pull-up the host sees a disconnection. The controller must not be accessed until it is attached again:
/// all users check first that it is configured or the port is open, and a bus reset clears both.
void detach() {
    const MaskedInterrupt masked(cortex::irq_usb);
    usb::control_bus_reset();
    hold_in_reset(resets::usb);
}

} // namespace

extern "C" void usb_interrupt() {
    const std::uint32_t cause = reg(usb::ints);
    // Handle buffers first: they were completed before the bus reset or SETUP that the same interrupt may report.
    if ((cause & usb::int_buffer) != 0) {
        const std::uint32_t done = reg(usb::buff_status);
        reg(usb::buff_status) = done;
        if ((done & usb::control_in.done_bit()) != 0) usb::control_in_done();
        if ((done & usb::control_out.done_bit()) != 0) usb::control_out_done();
        if ((done & usb::data_in.done_bit()) != 0) usb::data_in_done();
        if ((done & usb::data_out.done_bit()) != 0) usb::data_out_done();
    }
    if ((cause & usb::int_bus_reset) != 0) {
        reg(usb::sie_status) = usb::bus_reset_seen;
        usb::control_bus_reset();
    }
    if ((cause & usb::int_setup) != 0) {
        reg(usb::sie_status) = usb::setup_received;
        usb::control_setup();
    }
}

void start() {
    usb::set_serial({});
    attach();
}

void set_serial(const std::array<std::uint8_t, 8>& unique_id) {
    const MaskedInterrupt masked(cortex::irq_usb);
    usb::set_serial(unique_id);
}

bool watch(std::uint32_t now_us) {
    if (detached) {
        if (now_us - detached_at < detached_us) return false;
        release_from_reset(resets::usb);
        attach();
        detached = false;
        return false;
    }
    firmware::UsbSight sight;
    {
        const MaskedInterrupt masked(cortex::irq_usb);
        const auto counts = usb::packet_counts();
        sight = {.configured = usb::is_configured(),
                 .suspended = (reg(usb::sie_status) & usb::suspended) != 0,
                 .frame = static_cast<std::uint16_t>(reg(usb::sof_rd)),
                 .has_unfetched_packet = usb::port_is_open() && usb::has_unfetched_packet(),
                 .in_packets = counts.in,
                 .out_packets = counts.out};
    }
    if (!usb_watch.is_dead(now_us, sight)) return false;
    detach();
    detached = true;
    detached_at = now_us;
    return true;
}

std::size_t receive(std::span<std::uint8_t> into) {
    const MaskedInterrupt masked(cortex::irq_usb);
    return usb::take(into);
}

std::size_t free_space() {
    const MaskedInterrupt masked(cortex::irq_usb);
    return usb::port_is_open() ? usb::free_space() : std::numeric_limits<std::size_t>::max();
}

void send(std::span<const std::uint8_t> bytes) {
    const MaskedInterrupt masked(cortex::irq_usb);
    if (usb::port_is_open()) usb::put(bytes);
}

} // namespace mediarig::pico::usb_link
