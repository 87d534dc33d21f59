// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/usb/usb_link.hpp"

#include <limits>

#include "firmware/board/pico/interrupts.hpp"
#include "firmware/board/pico/usb/control_pipe.hpp"
#include "firmware/board/pico/usb/controller.hpp"
#include "firmware/board/pico/usb/data_pipes.hpp"
#include "firmware/board/pico/usb/descriptors.hpp"

namespace mediarig::pico::usb_link {

extern "C" void usb_interrupt() {
    const std::uint32_t cause = reg(usb::ints);
    // Buffers first: they ended before the bus reset, or the SETUP, that may have come with them.
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

void start(const std::array<std::uint8_t, 8>& unique_id) {
    usb::set_serial(unique_id);
    // Endpoints and buffers of before; the memory has no reset value.
    for (Address word = usb::dpram; word < usb::dpram + usb::dpram_size; word += 4) reg(word) = 0;
    reg(usb::muxing) = usb::to_phy_soft_connect;
    reg(usb::power) = usb::vbus_assumed;
    reg(usb::main_ctrl) = usb::controller_enable;
    reg(usb::sie_ctrl) = usb::ep0_interrupt;
    reg(usb::inte) = usb::int_buffer | usb::int_bus_reset | usb::int_setup;
    enable_interrupt(cortex::irq_usb, Priority::links);
    set_bits(usb::sie_ctrl, usb::pull_up);
}

std::size_t receive(std::span<std::uint8_t> into) {
    const Masked masked(cortex::irq_usb);
    return usb::take(into);
}

std::size_t room() {
    const Masked masked(cortex::irq_usb);
    return usb::port_is_open() ? usb::room() : std::numeric_limits<std::size_t>::max();
}

void send(std::span<const std::uint8_t> bytes) {
    const Masked masked(cortex::irq_usb);
    if (usb::port_is_open()) usb::put(bytes);
}

} // namespace mediarig::pico::usb_link
