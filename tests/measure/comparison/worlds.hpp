// SPDX-License-Identifier: GPL-3.0-or-later
/// Simulated cards as streams of pass rates, without medium and kernel. Each card has one fault that affects
/// comparisons of real cards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "common/split_mix.hpp"

namespace mediarig::comparison_worlds {

/// Uniform, normal and exponential numbers from a seed, equal on every machine.
class Draws {
public:
    explicit Draws(std::uint64_t seed) : numbers_(seed) {}
    double uniform() { return static_cast<double>(numbers_.next() >> 11) * 0x1p-53; }
    bool chance(double probability) { return uniform() < probability; }
    double normal();
    double exponential(double mean);

private:
    SplitMix numbers_;
};

/// A simulated medium, which begins with its first pass.
class Card {
public:
    virtual ~Card() = default;
    /// Returns ln of the rate of the next pass of format 0 or 1, minus ln of the rate of that format.
    virtual double pass(std::size_t format, Draws& draws) = 0;
};

struct World {
    std::string_view name;
    double quantum{}; ///< known step of its rates
    std::unique_ptr<Card> (*card)(Draws&);
    bool of_reference{true}; ///< true for the twelve worlds over which the reference means are computed
    bool carries_over{};     ///< true if the previous format affects the rate, which no order of the passes can remove
};
[[nodiscard]] std::span<const World> worlds();

} // namespace mediarig::comparison_worlds
