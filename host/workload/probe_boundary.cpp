// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/probe_boundary.hpp"

#include <algorithm>

namespace mediarig::workload {
namespace {

/// Blocks looked at in one step. At once a step costs next to nothing, so few blocks are written; through the cache it
/// costs a whole run, so few steps are made.
constexpr std::uint64_t steps_at_once = 16;
constexpr std::uint64_t steps_through_the_cache = 256;

} // namespace

Result<std::vector<Sample>> BoundarySearch::round(const std::vector<std::uint64_t>& offsets, Mode mode,
                                                  std::uint64_t from, std::uint64_t to) {
    sampler_.begin_round();
    if (auto ok = sampler_.write(offsets); !ok) return fail(ok.error());
    if (auto ok = sampler_.flush(); !ok) return fail(ok.error());
    if (mode == Mode::through_the_cache) {
        const Extent run = run_beside(layout_, sampler_.size(), sampler_.block(), from, to);
        if (auto ok = sampler_.write_run(run); !ok) return fail(ok.error());
        if (auto ok = sampler_.flush(); !ok) return fail(ok.error());
    }
    return sampler_.read(offsets);
}

Result<BoundarySearch::Narrowed> BoundarySearch::narrow(std::uint64_t good, std::uint64_t bad, Mode mode) {
    using Told = Narrowed::Told;
    const std::uint64_t block = sampler_.block().count;
    const std::uint64_t between = (bad - good) / block;
    const std::uint64_t steps = std::min(between, mode == Mode::at_once ? steps_at_once : steps_through_the_cache);
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < steps; ++i) offsets.push_back(good + (i * between / steps) * block);
    offsets.push_back(bad); // the control: it was lost before
    const auto samples = round(offsets, mode, good, bad + block);
    if (!samples) return fail(samples.error());

    Narrowed result{good, bad, samples->back().good_bytes, Told::narrower};
    if (kept(samples->back(), modulus_)) {
        result.told = mode == Mode::at_once ? Told::cached : Told::contradiction;
        return result;
    }
    const auto first_lost =
        std::find_if(samples->begin(), samples->end(), [&](const Sample& s) { return !kept(s, modulus_); });
    if (std::any_of(first_lost, samples->end(), [&](const Sample& s) { return kept(s, modulus_); })) {
        result.told = Told::contradiction;
        return result;
    }
    result.bad = first_lost->offset;
    result.bad_prefix = first_lost->good_bytes;
    if (first_lost != samples->begin()) result.good = std::prev(first_lost)->offset + block;
    return result;
}

Result<BoundarySearch::Proof> BoundarySearch::prove(std::uint64_t at) {
    const std::uint64_t block = sampler_.block().count;
    const std::uint64_t above = align_up({at}, {block}).count;
    std::vector<std::uint64_t> offsets;
    for (const std::uint64_t distance : {64u, 16u, 4u, 1u})
        if (above >= (distance + 1) * block) offsets.push_back(above - (distance + 1) * block);
    const std::size_t below = offsets.size();
    for (const std::uint64_t distance : {0u, 1u, 7u})
        if (above + (distance + 1) * block <= sampler_.size().count) offsets.push_back(above + distance * block);
    const auto samples = round(offsets, Mode::through_the_cache, offsets.front(),
                               std::min(offsets.back() + block, sampler_.size().count));
    if (!samples) return fail(samples.error());

    Proof proof{.kept_below = true, .lost_above = true, .first_lost = at, .beyond = {}};
    for (std::size_t i = 0; i < samples->size(); ++i) {
        const Sample& sample = (*samples)[i];
        if (i < below && !kept(sample, modulus_)) {
            if (proof.kept_below) proof.first_lost = sample.offset;
            proof.kept_below = false;
        }
        if (i >= below) {
            proof.lost_above = proof.lost_above && !kept(sample, modulus_);
            proof.beyond.push_back(sample);
        }
    }
    return proof;
}

Result<Boundary> BoundarySearch::search(std::uint64_t good, std::uint64_t bad, Mode mode) {
    std::uint64_t lower = good;
    std::uint64_t prefix = 0;
    bool looked_at_bad = false;
    while (lower < bad || !looked_at_bad) {
        const auto step = narrow(lower, bad, mode);
        if (!step) return fail(step.error());
        if (step->told == Narrowed::Told::cached) return search(good, bad, Mode::through_the_cache);
        if (step->told == Narrowed::Told::contradiction) return Boundary{};
        lower = step->good;
        bad = step->bad;
        prefix = step->bad_prefix;
        looked_at_bad = true;
    }
    const std::uint64_t at = bad + prefix;
    auto proof = prove(at);
    if (!proof) return fail(proof.error());
    if (proof->kept_below && proof->lost_above) return Boundary{Bytes{at}, std::move(proof->beyond)};
    // What seemed kept at once was in a cache; once more, with patience.
    if (!proof->kept_below && mode == Mode::at_once && proof->first_lost >= good)
        return search(good, proof->first_lost, Mode::through_the_cache);
    return Boundary{};
}

Result<Boundary> BoundarySearch::between(std::uint64_t good, std::uint64_t bad) {
    return search(good, bad, Mode::at_once);
}

} // namespace mediarig::workload
