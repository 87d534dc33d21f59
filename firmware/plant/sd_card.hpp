// SPDX-License-Identifier: GPL-3.0-or-later
/// An SD card on the nest's contacts, as its bus sees it: takes commands at rising edges of the clock, answers from the
/// next falling edge on. Of the 1-bit mode it knows what identifies a card. Source: SD Association, "Physical Layer
/// Simplified Specification", sections 4.2, 4.5, 4.7, 4.9 and 4.12. Its checksums are divisions of polynomials, written
/// out: it shares no code with those who read it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "firmware/plant/fingerprint.hpp"
#include "firmware/plant/values.hpp"

namespace mediarig::plant {

/// As the card sends them, CID and CSD with their last byte, which holds their checksum.
struct SdRegisters {
    std::array<std::uint8_t, 16> cid{}, csd{};
    std::array<std::uint8_t, 8> scr{};
    std::array<std::uint8_t, 64> ssr{};
    bool operator==(const SdRegisters&) const = default;
};

/// What is the matter with a card as one that is asked for its registers.
enum class SdTrouble : std::uint8_t {
    none,
    silent,            ///< answers nothing
    damaged_answers,   ///< one bit of each short answer is wrong
    damaged_registers, ///< one bit of each register is wrong
    never_ready,
    multimedia_card,
    old,   ///< from before version 2.00: knows no CMD8
    copied ///< has the registers of the first card, as counterfeits have those of a good one
};

/// Remainder of the bits, followed by `width` zeros, by x^width + `polynomial`.
[[nodiscard]] std::uint32_t checksum(const std::vector<bool>& bits, unsigned width, std::uint32_t polynomial);

/// Of a card of the simulated rig, unless it was told another one.
inline constexpr std::uint64_t simulated_capacity = 15'523'119'104;
/// Those of a card of the simulated rig: its name and serial number tell which one it is. `capacity` in bytes; what
/// a CSD of version 2 cannot say is brought down to 2 TiB and to whole units of 512 KiB, or up to one.
[[nodiscard]] SdRegisters simulated_registers(std::uint8_t card, std::uint64_t capacity = simulated_capacity);

class SdCard {
public:
    /// It is put on the contacts, without supply.
    void insert(const SdRegisters& registers, SdTrouble trouble);
    void remove();
    void power(bool on);
    /// Levels of the lines as the host drives them; an undriven CMD is high.
    void lines(bool clock, bool command, Nanoseconds at);

    /// What the card leaves on its lines: false where it pulls them low.
    [[nodiscard]] bool command() const { return command_; }
    [[nodiscard]] bool data() const { return data_; }
    /// What it takes from its supply: at rest, while it gets ready or speaks on CMD, while it sends data.
    [[nodiscard]] std::uint32_t microamperes() const;
    static constexpr std::uint32_t rest_ua = 2'000, active_ua = 15'000, sending_ua = 40'000;
    /// Numbers of all commands that it has understood since it has supply; 64 is added after CMD55.
    [[nodiscard]] const std::vector<std::uint8_t>& commands() const { return commands_; }

    void add_to(Fingerprint& hash) const;

private:
    enum class State : std::uint8_t { idle, ready, identification, standby, transfer };
    void rise(bool command, Nanoseconds at);
    void fall();
    void obey(std::uint8_t number, std::uint32_t argument, Nanoseconds at);
    void obey_app(std::uint8_t number, std::uint32_t argument, Nanoseconds at);
    void answer(std::uint8_t number, std::uint32_t word);
    void answer_long(const std::array<std::uint8_t, 16>& bytes);
    void answer_ocr(std::uint32_t ocr);
    void send_block(const std::uint8_t* bytes, std::size_t count, std::size_t after_clocks);
    void send(const std::vector<bool>& bits);

    SdRegisters registers_;
    SdTrouble trouble_{};
    bool there_{}, powered_{}, clock_{}, app_{};
    bool command_{true}, data_{true};
    State state_{};
    std::uint32_t idle_clocks_{};
    Nanoseconds begun_at_{};
    std::vector<bool> taken_;
    std::deque<bool> to_command_, to_data_; ///< what leaves at the next falling edges
    std::vector<std::uint8_t> commands_;
};

} // namespace mediarig::plant
