// SPDX-License-Identifier: GPL-3.0-or-later
/// The rig's firmware on a Raspberry Pi Pico: connects the core to the pins and to the two carriers of the link.
#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <string_view>

#include "firmware/board/pico/chip/interrupts.hpp"
#include "firmware/board/pico/clock.hpp"
#include "firmware/board/pico/fast.hpp"
#include "firmware/board/pico/flash_id.hpp"
#include "firmware/board/pico/pads.hpp"
#include "firmware/board/pico/panel.hpp"
#include "firmware/board/pico/sense.hpp"
#include "firmware/board/pico/supervisor.hpp"
#include "firmware/board/pico/uart.hpp"
#include "firmware/board/pico/usb/usb_link.hpp"
#include "firmware/core/firmware.hpp"
#include "firmware/core/link/retained.hpp"

namespace mediarig::pico {
namespace {

[[gnu::section(".noinit")]] firmware::Retained retained;
// Not constructed before main, and never destroyed.
alignas(firmware::Firmware) std::array<std::byte, sizeof(firmware::Firmware)> firmware_storage;

firmware::BoardInfo board_info(const std::array<std::uint8_t, 8>& unique_id) {
    constexpr std::string_view build = MEDIARIG_BUILD;
    firmware::BoardInfo info{.major = MEDIARIG_VERSION_MAJOR,
                             .minor = MEDIARIG_VERSION_MINOR,
                             .patch = MEDIARIG_VERSION_PATCH,
                             .unique_id = unique_id,
                             .pin_map_hash = pins::pin_map_hash,
                             .reset = take_reset_reason()};
    std::ranges::copy(build.substr(0, info.build.size()), info.build.begin());
    return info;
}

using Chunk = std::array<std::uint8_t, 64>;
/// Maximum number of chunks to read before the next check of the tick, so that a flood of input does not delay it.
constexpr int chunks_at_once = 4;

/// Returns true if data arrived.
template <auto receive>
bool hear(firmware::Firmware& firmware, firmware::HostInterface carrier) {
    Chunk chunk;
    for (int i = 0; i < chunks_at_once; ++i) {
        const std::size_t count = receive(std::span(chunk));
        if (count == 0) return i > 0;
        firmware.receive(carrier, std::span(chunk).first(count));
    }
    return true;
}

/// Returns true if there may be more data to send than there was space for.
template <auto free_space, auto send>
bool tell(firmware::Firmware& firmware, firmware::HostInterface carrier) {
    Chunk chunk;
    for (;;) {
        const std::size_t space = std::min(chunk.size(), free_space());
        if (space == 0) return true;
        const std::size_t count = firmware.transmit(carrier, std::span(chunk).first(space));
        if (count == 0) return false;
        send(std::span(chunk).first(count));
    }
}

bool hear_all(firmware::Firmware& firmware) {
    const bool by_usb = hear<usb_link::receive>(firmware, firmware::HostInterface::usb);
    const bool by_uart = hear<uart_link::receive>(firmware, firmware::HostInterface::uart);
    return by_usb || by_uart;
}

bool tell_all(firmware::Firmware& firmware) {
    const bool by_usb = tell<usb_link::free_space, usb_link::send>(firmware, firmware::HostInterface::usb);
    const bool by_uart = tell<uart_link::free_space, uart_link::send>(firmware, firmware::HostInterface::uart);
    return by_usb || by_uart;
}

[[noreturn]] void run() {
    set_up_pads();
    start_watchdog();
    start_adc();
    usb_link::start();
    const auto unique_id = read_flash_id();
    usb_link::set_serial(unique_id);
    const firmware::BoardInfo info = board_info(unique_id);
    auto& firmware = *new (firmware_storage.data()) firmware::Firmware(retained, info);
    Panel panel;
    start_fast_interrupts(firmware);
    uart_link::start();
    start_tick();

    std::uint8_t sample = 0;
    bool unsent = false;
    for (;;) {
        const bool ticked = tick_is_due();
        if (ticked) {
            const std::uint32_t known_drops = drops();
            const firmware::Outputs outputs = firmware.tick(panel.read(sample));
            sample = outputs.sample;
            panel.apply(outputs, known_drops);
            start_steps_when_waiting();
            if (usb_link::watch(now_us_low())) firmware.usb_restarted();
            if (outputs.feed_watchdog) feed_watchdog();
            if (outputs.enter_bootloader) enter_bootloader();
        }
        // Received data, a tick and unsent data lead to output; most other interrupts do not.
        if (hear_all(firmware) || ticked || unsent) unsent = tell_all(firmware);
        wait_for_interrupt();
    }
}

} // namespace
} // namespace mediarig::pico

int main() {
    mediarig::pico::run();
}
