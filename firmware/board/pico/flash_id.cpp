// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/flash_id.hpp"

#include <cstddef>

#include "firmware/board/pico/chip/interrupts.hpp"
#include "firmware/board/pico/chip/registers.hpp"
#include "firmware/board/pico/rom.hpp"

namespace mediarig::pico {
namespace {

constexpr Address ssi_status = 0x18000028, ssi_data = 0x18000060;
constexpr std::uint32_t ssi_can_send = 1u << 1, ssi_has_received = 1u << 3;
constexpr Address chip_select = 0x4001800C; // IO_QSPI: control of SS, override in bits 9..8
constexpr std::uint32_t override_bits = 3u << 8, override_low = 2u << 8, override_high = 3u << 8;

constexpr std::uint8_t read_unique_id = 0x4B; // followed by four dummy bytes, then eight of id
constexpr std::size_t ahead_of_id = 5, id_size = 8;
constexpr unsigned patience = 100'000;

// Progress of the reading, kept over a reset by the watchdog.
[[gnu::section(".noinit")]] std::uint32_t attempt;
constexpr std::uint32_t attempt_running = 0x666C6964, attempt_failed = 0x6E6F6964;

struct FlashRoutines {
    rom::Function connect, leave_xip, flush_cache, second_stage;
};

/// Copy of the second stage, made while flash can be read. It reads only its own data, so that it runs at any address.
alignas(4) std::array<std::uint32_t, 64> second_stage_copy;

/// Runs in RAM and uses nothing in flash: flash is not readable until the second stage has run again.
[[gnu::section(".ramfunc"), gnu::noinline]] bool talk_to_flash(const FlashRoutines& flash, std::uint8_t* id) {
    flash.connect();
    flash.leave_xip();
    reg(chip_select) = (reg(chip_select) & ~override_bits) | override_low;
    std::size_t sent = 0, received = 0;
    for (unsigned i = 0; i < patience && received < ahead_of_id + id_size; ++i) {
        const std::uint32_t status = reg(ssi_status);
        if (sent < ahead_of_id + id_size && (status & ssi_can_send) != 0) {
            reg(ssi_data) = sent == 0 ? read_unique_id : 0;
            ++sent;
        }
        if ((status & ssi_has_received) != 0) {
            const std::uint32_t byte = reg(ssi_data);
            if (received >= ahead_of_id) id[received - ahead_of_id] = static_cast<std::uint8_t>(byte);
            ++received;
        }
    }
    reg(chip_select) = (reg(chip_select) & ~override_bits) | override_high;
    flash.flush_cache(); // also returns chip select to the interface
    flash.second_stage();
    return received == ahead_of_id + id_size;
}

} // namespace

std::array<std::uint8_t, 8> read_flash_id() {
    FlashRoutines flash{rom::find('I', 'F'), rom::find('E', 'X'), rom::find('F', 'C'), nullptr};
    if (flash.connect == nullptr || flash.leave_xip == nullptr || flash.flush_cache == nullptr) return {};
    const auto* second_stage = reinterpret_cast<const volatile std::uint32_t*>(0x10000000);
    for (std::uint32_t& word : second_stage_copy) word = *second_stage++;
    flash.second_stage = reinterpret_cast<rom::Function>(reinterpret_cast<std::uint32_t>(second_stage_copy.data()) | 1);

    if (attempt == attempt_running) attempt = attempt_failed;
    if (attempt == attempt_failed) return {};
    std::array<std::uint8_t, 8> id{};
    bool answered = false;
    {
        const AllInterruptsMasked masked;
        attempt = attempt_running;
        answered = talk_to_flash(flash, id.data());
        attempt = 0;
    }
    if (!answered) return {};
    // A flash chip that does not know this command leaves the line at the level of the pull.
    std::uint8_t any = 0, all = 0xFF;
    for (const std::uint8_t byte : id) {
        any = static_cast<std::uint8_t>(any | byte);
        all = static_cast<std::uint8_t>(all & byte);
    }
    return any == 0 || all == 0xFF ? std::array<std::uint8_t, 8>{} : id;
}

} // namespace mediarig::pico
