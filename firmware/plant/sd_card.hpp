// SPDX-License-Identifier: GPL-3.0-or-later
/// Models an SD card on the nest's contacts at the level of its bus: it takes commands at rising edges of the clock,
/// and answers from the next falling edge on. Implements the part of the 1-bit mode that identifies a card. Source: SD
/// Association, "Physical Layer Simplified Specification", sections 4.2, 4.5, 4.7, 4.9 and 4.12. Its checksums are
/// explicit polynomial divisions: the model shares no code with the readers of its data.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "firmware/plant/fingerprint.hpp"
#include "firmware/plant/values.hpp"

namespace mediarig::plant {

/// Registers as sent by the card; CID and CSD include their last byte, the checksum.
struct SdRegisters {
    std::array<std::uint8_t, 16> cid{}, csd{};
    std::array<std::uint8_t, 8> scr{};
    std::array<std::uint8_t, 64> ssr{};
    bool operator==(const SdRegisters&) const = default;
};

/// Defect of a card whose registers are read.
enum class SdDefect : std::uint8_t {
    none,
    silent,            ///< does not answer commands
    damaged_answers,   ///< one bit of each short answer is wrong
    damaged_registers, ///< one bit of each register is wrong
    never_ready,
    multimedia_card,
    old,   ///< the card is from before version 2.00 and does not know CMD8
    copied ///< has the registers of the first card, like a counterfeit of a genuine one
};

/// Returns the remainder of the bits, followed by `width` zeros, modulo x^width + `polynomial`.
[[nodiscard]] std::uint32_t checksum(const std::vector<bool>& bits, unsigned width, std::uint32_t polynomial);

/// Default capacity of a card of the simulated rig.
inline constexpr std::uint64_t simulated_capacity = 15'523'119'104;
/// Returns the registers of a card of the simulated rig; name and serial number identify it. `capacity` in bytes;
/// limited to the range of a CSD of version 2: at most 2 TiB, whole units of 512 KiB, at least one.
[[nodiscard]] SdRegisters simulated_registers(std::uint8_t card, std::uint64_t capacity = simulated_capacity);

class SdCard {
public:
    /// Puts a card on the contacts, without supply.
    void insert(const SdRegisters& registers, SdDefect defect);
    void remove();
    void power(bool on);
    /// Levels of the lines as the host drives them; an undriven CMD is high.
    void lines(bool clock, bool command, Nanoseconds at);

    /// Levels of the lines driven by the card: false if it pulls them low.
    [[nodiscard]] bool command() const { return command_; }
    [[nodiscard]] bool data() const { return data_; }
    /// Supply current: at rest, while it initialises or sends on CMD, and while it sends data.
    [[nodiscard]] std::uint32_t microamperes() const;
    static constexpr std::uint32_t rest_ua = 2'000, active_ua = 15'000, sending_ua = 40'000;
    /// Numbers of all commands understood since the supply was switched on. 64 is added to a command after CMD55.
    [[nodiscard]] const std::vector<std::uint8_t>& commands() const { return commands_; }

    void add_to(StateHash& hash) const;

private:
    enum class State : std::uint8_t { idle, ready, identification, standby, transfer };
    void rise(bool command, Nanoseconds at);
    void fall();
    void execute_command(std::uint8_t number, std::uint32_t argument, Nanoseconds at);
    void execute_app_command(std::uint8_t number, std::uint32_t argument, Nanoseconds at);
    void answer(std::uint8_t number, std::uint32_t word);
    void answer_long(const std::array<std::uint8_t, 16>& bytes);
    void answer_ocr(std::uint32_t ocr);
    void send_block(const std::uint8_t* bytes, std::size_t count, std::size_t after_clocks);
    void send(const std::vector<bool>& bits);

    SdRegisters registers_;
    SdDefect trouble_{};
    bool there_{}, powered_{}, clock_{}, app_{};
    bool command_{true}, data_{true};
    State state_{};
    std::uint32_t idle_clocks_{};
    Nanoseconds begun_at_{};
    std::vector<bool> taken_;
    std::deque<bool> to_command_, to_data_; ///< bits to send at the next falling edges
    std::vector<std::uint8_t> commands_;
};

} // namespace mediarig::plant
