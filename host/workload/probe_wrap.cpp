// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/probe_wrap.hpp"

#include <algorithm>
#include <vector>

namespace mediarig::workload {
namespace {

constexpr std::uint64_t unit = Pattern::sector_size;

std::vector<std::uint64_t> prime_factors(std::uint64_t number) {
    std::vector<std::uint64_t> primes;
    for (std::uint64_t p = 2; p * p <= number; ++p) {
        if (number % p != 0) continue;
        primes.push_back(p);
        while (number % p == 0) number /= p;
    }
    if (number > 1) primes.push_back(number);
    return primes;
}

Result<bool> same_memory(ProbeSampler& sampler, Alias alias, std::uint64_t distance) {
    const std::uint64_t other = alias.at >= distance ? alias.at - distance : alias.at + distance;
    const auto stamp = sampler.stamp_at(other);
    if (!stamp) return fail(stamp.error());
    return *stamp && (*stamp)->at == other && (*stamp)->belongs_at == alias.written_at;
}

/// Writes below, then above; what was below must have become what is above.
Result<bool> overwrites(ProbeSampler& sampler, std::uint64_t low, std::uint64_t modulus) {
    sampler.begin_round();
    const std::vector<std::uint64_t> first{low}, second{low + modulus};
    if (auto ok = sampler.write(first); !ok) return fail(ok.error());
    if (auto ok = sampler.write(second); !ok) return fail(ok.error());
    if (auto ok = sampler.flush(); !ok) return fail(ok.error());
    const auto seen = sampler.read(low);
    if (!seen) return fail(seen.error());
    return seen->state == Sample::State::overwritten && seen->distance == modulus;
}

} // namespace

Result<std::optional<Alias>> find_alias(ProbeSampler& sampler, const ProbeLayout& layout) {
    for (const std::uint64_t look : layout.looks) {
        const auto stamp = sampler.stamp_at(look);
        if (!stamp) return fail(stamp.error());
        if (!*stamp || (*stamp)->belongs_at <= (*stamp)->at || (*stamp)->generation != sampler.generation()) continue;
        const auto again = sampler.stamp_at((*stamp)->at);
        if (!again) return fail(again.error());
        if (*again && (*again)->at == (*stamp)->at && (*again)->belongs_at == (*stamp)->belongs_at)
            return Alias{(*stamp)->at, (*stamp)->belongs_at};
    }
    return std::optional<Alias>{};
}

Result<std::optional<Bytes>> modulus_of(ProbeSampler& sampler, const ProbeLayout& layout, Alias alias) {
    std::uint64_t sectors = (alias.written_at - alias.at) / unit;
    for (const std::uint64_t prime : prime_factors(sectors))
        while (sectors % prime == 0) {
            const auto same = same_memory(sampler, alias, sectors / prime * unit);
            if (!same) return fail(same.error());
            if (!*same) break;
            sectors /= prime;
        }
    const Bytes modulus{sectors * unit};

    if (modulus + sampler.block() <= sampler.size()) {
        const std::uint64_t highest = (sampler.size() - sampler.block() - modulus).count;
        const std::uint64_t low = align_down({std::min(alias.at, highest)}, sampler.block()).count;
        const auto seen = overwrites(sampler, low, modulus.count);
        if (!seen) return fail(seen.error());
        if (*seen) return modulus;
    }
    // A cache that knows nothing of the wrap may have answered: write the run once more, which drives out what was
    // there, and look whether it shows up in the same way.
    sampler.begin_round();
    if (auto ok = sampler.write_run(layout.run); !ok) return fail(ok.error());
    if (auto ok = sampler.flush(); !ok) return fail(ok.error());
    const auto again = find_alias(sampler, layout);
    if (!again) return fail(again.error());
    if (!*again || ((*again)->written_at - (*again)->at) % modulus.count != 0) return std::optional<Bytes>{};
    return modulus;
}

} // namespace mediarig::workload
