// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads the registers of the SD card on the identity nest: CID, CSD, SCR and SD Status, in the 1-bit mode, with all
/// checksums verified. Never sends a command that changes the card.
///
///     looking -card there, off long enough-> rising -supply steady-> waking -74 clocks-> asking <-> hearing -> idle
///
/// CMD0, CMD8, ACMD41 until ready, CMD2, CMD3, CMD9, CMD7, ACMD51, ACMD13, off. A card that does not answer CMD8 is
/// initialised as one from before version 2.00; if it does not answer ACMD41 either, it is tested for a MultiMediaCard.
/// After a register that cannot be read, the following ones are still requested.
///
/// A burst has at most 32 clocks, which bounds the tick; the clock of an SD bus may stop between bursts. Source: SD
/// Association, "Physical Layer Simplified Specification", sections 4.2 (identification), 4.3, 4.7.4, 4.12 (times) and
/// 6.4.1 (power-up).
#pragma once

#include <cstdint>

#include "common/rigproto/messages.hpp"
#include "firmware/core/io.hpp"
#include "firmware/core/sd_bus.hpp"

namespace mediarig::firmware {

inline constexpr std::uint32_t nest_settles_us = 20'000;   ///< card-detect bounces
inline constexpr std::uint32_t nest_patience_us = 500'000; ///< time limit for card-detect to settle
inline constexpr std::uint32_t nest_off_us =
    100'000; ///< between two cards, to stay below 0.5 V long enough, through 1 kOhm
inline constexpr std::uint32_t nest_rises_us = 50'000;    ///< a supply may take 35 ms to rise
inline constexpr std::uint32_t nest_ready_us = 1'000'000; ///< time limit for ACMD41
inline constexpr std::uint32_t nest_data_us = 250'000;    ///< the slowest permitted read takes 100 ms
inline constexpr std::uint32_t nest_busy_us = 500'000;    ///< time limit after CMD7
inline constexpr std::uint16_t nest_answer_clocks = 64;   ///< number of clocks within which an answer must begin
inline constexpr std::uint8_t burst_clocks = 32;
/// Maximum reading of the current without supply: the offset of amplifier and converter is a few milliamperes. A higher
/// reading has another cause than the card.
inline constexpr std::uint32_t nest_zero_most_ua = 10'000;

class SdReader {
public:
    /// Call only while the reader is not busy. Discards the previous readings.
    void start(std::uint32_t job, std::uint64_t now_us);
    /// Switches the supply off at once.
    void stop(std::uint64_t now_us);
    /// Uses `now_us`, `nest_card`, `nest` and `nest_microamperes` of the inputs. While it is busy, the current must be
    /// measured: before there is supply (the reading is the offset), before the first clock (at rest), and between
    /// bursts.
    void tick(const Inputs& inputs);

    /// Signals until the next tick.
    [[nodiscard]] const NestBurst& burst() const { return burst_; }
    [[nodiscard]] bool busy() const { return phase_ != Phase::idle; }
    /// All fields except `card`.
    [[nodiscard]] const rigproto::NestReply& report() const { return report_; }
    [[nodiscard]] const rigproto::NestRegistersReply& registers() const { return registers_; }

private:
    enum class Phase : std::uint8_t { idle, looking, rising, waking, asking, hearing };
    enum class Step : std::uint8_t {
        go_idle,
        conditions,
        begin_app,
        begin,
        other_kind,
        identification,
        address,
        specifics,
        select,
        configuration_app,
        configuration,
        status_app,
        status
    };
    enum class Form : std::uint8_t { none, plain, ocr, long_one };
    enum class After : std::uint8_t { nothing, busy, data };
    enum class ReplyCheck : std::uint8_t { nothing, damaged, fine };
    struct Command {
        std::uint8_t number{};
        std::uint32_t argument{};
        Form form{};
        After after{};
        std::uint8_t data_bytes{};
    };

    void measure(std::uint32_t microamperes);
    void look(bool card, std::uint64_t now_us);
    void watch_card(bool card, std::uint64_t now_us);
    void ask(Step step);
    [[nodiscard]] Command command_of(Step step) const;
    void send_on(std::uint64_t now_us);
    void hear(const NestSample& sample, std::uint64_t now_us);
    /// True if the card has completed its answer to this command.
    [[nodiscard]] bool has_full_response(std::uint64_t now_us) const;
    [[nodiscard]] ReplyCheck answer() const;
    [[nodiscard]] rigproto::RegisterState data() const;
    [[nodiscard]] std::uint32_t answered_word() const;
    void proceed(std::uint64_t now_us);
    void get_ready(ReplyCheck heard, std::uint64_t now_us);
    void keep(rigproto::RegisterState& state, std::span<std::uint8_t> into, ReplyCheck heard);
    void finish(rigproto::NestEnd end, std::uint64_t now_us);

    Reception<17> response_; // at most 136 bits
    Reception<67> block_;    // 64 bytes, 2 of the checksum, the end bit
    rigproto::NestReply report_{};
    rigproto::NestRegistersReply registers_{};
    NestBurst burst_{};
    Command command_{};
    std::uint64_t since_us_{}; // start of the phase
    std::uint64_t rest_us_{};  // last change of card-detect
    std::uint64_t begun_us_{}; // time of the first ACMD41
    std::uint64_t off_us_{};   // time at which the supply was switched off
    std::uint64_t frame_{};    // bits to send, the next one in bit 63
    std::uint32_t address_{};  // address of the card, in the upper half
    std::uint32_t zero_ua_{};  // reading of the current without supply
    std::uint8_t frame_bits_{};
    Phase phase_{};
    Step step_{};
    bool card_{};      // last state of card-detect
    bool modern_{};    // supports CMD8
    bool begun_{};     // ACMD41 was sent
    bool data_high_{}; // level of DAT0 at the last clock
    bool was_on_{};
};

} // namespace mediarig::firmware
