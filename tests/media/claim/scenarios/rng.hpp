// SPDX-License-Identifier: GPL-3.0-or-later
/// Random numbers that are equal on every machine (SplitMix64), so that a scenario can be repeated by its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mediarig::claim_scenarios {

class Rng {
public:
    explicit Rng(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    /// A number from 0 to count-1; needs count > 0.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <class T>
    const T& pick(const std::vector<T>& list) {
        return list[below(list.size())];
    }
    /// Returns an index into `weights`, with a probability proportional to its weight.
    std::size_t weighted(const std::vector<unsigned>& weights) {
        std::size_t sum = 0;
        for (const unsigned weight : weights) sum += weight;
        std::size_t at = below(sum);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if (at < weights[i]) return i;
            at -= weights[i];
        }
        return 0;
    }
    /// Returns a separate generator: the numbers that one part of a scenario draws do not shift the numbers of other
    /// parts.
    Rng branch() { return Rng(next()); }

private:
    std::uint64_t state_;
};

} // namespace mediarig::claim_scenarios
