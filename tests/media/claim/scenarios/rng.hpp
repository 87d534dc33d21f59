// SPDX-License-Identifier: GPL-3.0-or-later
/// Random numbers that are the same on every machine (SplitMix64), for scenarios that are repeated by number.
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
    /// 0 … count-1; count > 0.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
    bool chance(unsigned percent) { return below(100) < percent; }
    template <class T>
    const T& pick(const std::vector<T>& list) {
        return list[below(list.size())];
    }
    /// An index into `weights`, with a frequency proportional to its weight.
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
    /// A separate generator: draws of one part of a scenario do not shift the others.
    Rng branch() { return Rng(next()); }

private:
    std::uint64_t state_;
};

} // namespace mediarig::claim_scenarios
