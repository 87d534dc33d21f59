// SPDX-License-Identifier: GPL-3.0-or-later
/// Debounces the card-detect switches of all readers: a change counts after it has lasted.
#pragma once

#include <array>
#include <cstdint>

#include "common/rigproto/messages.hpp"

namespace mediarig::firmware {

inline constexpr std::uint32_t card_debounce_us = 20'000;

class CardDetect {
public:
    /// Bit n: port n. Returns the changed ports; 0 for the initial state.
    constexpr std::uint8_t tick(std::uint64_t now_us, std::uint8_t raw) {
        const auto now = static_cast<std::uint32_t>(now_us); // only differences are used, so wrapping is harmless
        if (!begun_) {
            begun_ = true;
            raw_ = raw;
            since_.fill(now);
        }
        const auto flipped = static_cast<std::uint8_t>(raw ^ raw_);
        raw_ = raw;
        std::uint8_t lasted = 0;
        for (std::uint8_t port = 0; port < rigproto::port_count; ++port) {
            const auto bit = static_cast<std::uint8_t>(1U << port);
            if ((flipped & bit) != 0) since_[port] = now;
            if (now - since_[port] >= card_debounce_us) {
                since_[port] = now - card_debounce_us; // recent enough that the difference does not wrap
                lasted |= bit;
            }
        }
        const auto changed = static_cast<std::uint8_t>((cards_ ^ raw_) & lasted);
        cards_ ^= changed;
        if (settled_) return changed;
        settled_ = lasted == 0xFF || (settling_ |= lasted) == 0xFF;
        return 0;
    }

    [[nodiscard]] constexpr std::uint8_t cards() const { return cards_; }
    [[nodiscard]] constexpr bool present(std::uint8_t port) const { return (cards_ >> port & 1) != 0; }
    /// True once every switch was stable since the start.
    [[nodiscard]] constexpr bool settled() const { return settled_; }

private:
    std::array<std::uint32_t, rigproto::port_count> since_{};
    std::uint8_t raw_{}, cards_{}, settling_{};
    bool begun_{}, settled_{};
};

} // namespace mediarig::firmware
