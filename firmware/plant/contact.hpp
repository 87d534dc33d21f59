// SPDX-License-Identifier: GPL-3.0-or-later
/// A mechanical contact that bounces: after each change it flickers for a while.
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/plant/fingerprint.hpp"
#include "firmware/plant/values.hpp"

namespace mediarig::plant {

class Contact {
public:
    Contact() = default;
    Contact(bool closed, Nanoseconds bounce, std::uint64_t seed) : closed_(closed), bounce_(bounce), seed_(seed) {}

    void set(bool closed, Nanoseconds at) {
        if (closed == closed_) return;
        closed_ = closed;
        changed_ = at;
        ++changes_;
    }
    [[nodiscard]] bool settled() const { return closed_; } ///< state after bouncing
    [[nodiscard]] bool read(Nanoseconds at) const {
        const Nanoseconds slot = changes_ == 0 ? flicker_slots() : (at - changed_) / flicker;
        if (slot == 0 || slot >= flicker_slots()) return closed_;
        return ((scatter(seed_ ^ (changes_ << 32U) ^ slot) & 1U) != 0) == closed_;
    }
    /// Next time after `now` at which read() may change.
    [[nodiscard]] std::optional<Nanoseconds> next_change(Nanoseconds now) const {
        if (changes_ == 0) return {};
        const Nanoseconds slot = (now - changed_) / flicker + 1;
        if (slot > flicker_slots()) return {};
        return changed_ + slot * flicker;
    }
    void add_to(StateHash& hash) const {
        hash.add(closed_);
        hash.add(changed_);
        hash.add(changes_);
    }

private:
    static constexpr Nanoseconds flicker = microseconds(150);
    [[nodiscard]] Nanoseconds flicker_slots() const { return bounce_ / flicker; }

    bool closed_{};
    Nanoseconds bounce_{}, changed_{};
    std::uint64_t seed_{}, changes_{};
};

} // namespace mediarig::plant
