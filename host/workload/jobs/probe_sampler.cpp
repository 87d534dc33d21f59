// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/probe_sampler.hpp"

#include <algorithm>
#include <cstring>

#include "common/split_mix.hpp"
#include "host/workload/jobs/job_checks.hpp"

namespace mediarig::workload {
namespace {

constexpr Bytes smallest_block = 4_KiB;
constexpr std::size_t cells_looked_at = 4;

Result<void> cancelled() {
    return fail(Errc::cancelled, "cancelled during the probe of the capacity");
}

} // namespace

Result<ProbeSampler> ProbeSampler::create(ProbedMedium& medium, std::uint64_t seed, std::uint32_t generation,
                                          JobControl& control) {
    auto buffer = TransferBuffer::allocate(static_cast<std::size_t>(run_transfer.count));
    if (!buffer) return fail(buffer.error());
    return ProbeSampler(medium, seed, generation, control, std::move(*buffer));
}

ProbeSampler::ProbeSampler(ProbedMedium& medium, std::uint64_t seed, std::uint32_t generation, JobControl& control,
                           TransferBuffer buffer)
    : medium_(&medium),
      control_(&control),
      buffer_(std::move(buffer)),
      pattern_(seed, generation),
      seed_(seed),
      first_generation_(generation),
      generation_(generation),
      block_(std::max(medium.sector(), smallest_block)),
      size_(align_down(medium.size(), block_)) {}

void ProbeSampler::begin_round() {
    pattern_ = Pattern(seed_, ++generation_);
    failed_writes_.clear();
}

Result<void> ProbeSampler::after(int error, bool writing, std::uint64_t offset) {
    if (control_->cancel.load(std::memory_order_relaxed)) return cancelled();
    if (error == 0) return {};
    if (auto fault = medium_->host_fault()) return fail(std::move(*fault));
    control_->failures.add(writing, offset, error);
    if (medium_->gone(error))
        return fail(Errc::no_medium,
                    "the medium vanished or stopped answering while its capacity was probed; check contact and power, "
                    "then start again");
    if (medium_->fails_too_slowly())
        return fail(Errc::io_failed, "the probe of the capacity stopped: " + too_slow_failures());
    return {};
}

Result<void> ProbeSampler::write(std::span<const std::uint64_t> offsets) {
    const auto bytes = buffer_.bytes().first(static_cast<std::size_t>(block_.count));
    const std::size_t sector = static_cast<std::size_t>(medium_->sector().count);
    std::vector<Extent> places;
    for (const std::uint64_t offset : offsets) places.push_back({offset, offset + block_.count});
    if (auto ok = prepare(places); !ok) return ok;
    for (const std::uint64_t offset : offsets) {
        if (auto allowed = control_->may_write.check(); !allowed) return allowed;
        pattern_.fill(bytes, offset);
        const int error = medium_->write(bytes, offset);
        if (auto ok = after(error, true, offset); !ok) return ok;
        if (error == 0)
            written_ += block_;
        else
            // Write single sectors: the sectors before the real end must not fail together with those after it.
            for (std::size_t at = 0; at < bytes.size(); at += sector) {
                const int again = medium_->write(bytes.subspan(at, sector), offset + at);
                if (auto ok = after(again, true, offset + at); !ok) return ok;
                if (again == 0) {
                    written_ += Bytes{sector};
                    continue;
                }
                for (std::size_t part = 0; part < sector; part += Pattern::sector_size)
                    failed_writes_.push_back(offset + at + part);
            }
        control_->bytes_done.fetch_add(block_.count, std::memory_order_relaxed);
    }
    std::sort(failed_writes_.begin(), failed_writes_.end());
    return {};
}

Result<void> ProbeSampler::prepare(std::span<const Extent> places) {
    if (auto ready = medium_->prepare(places); !ready) return ready;
    return control_->cancel.load(std::memory_order_relaxed) ? cancelled() : Result<void>{};
}

Result<void> ProbeSampler::refresh(Extent part) {
    if (auto allowed = control_->may_write.check(); !allowed) return allowed;
    if (auto done = medium_->refresh(part); !done) return done;
    written_ += Bytes{part.end - part.begin};
    control_->bytes_done.fetch_add(part.end - part.begin, std::memory_order_relaxed);
    return control_->cancel.load(std::memory_order_relaxed) ? cancelled() : Result<void>{};
}

Result<void> ProbeSampler::flush() {
    // A refused flush proves nothing about the capacity, and data that the run drives out of the cache needs no flush.
    return after(medium_->flush(), true, 0);
}

Result<bool> ProbeSampler::accepts_write(std::uint64_t offset) {
    const auto bytes = buffer_.bytes().first(static_cast<std::size_t>(block_.count));
    if (auto allowed = control_->may_write.check(); !allowed) return fail(allowed.error());
    pattern_.fill(bytes, offset);
    const int error = medium_->write(bytes, offset);
    if (auto ok = after(error, true, offset); !ok) return fail(ok.error());
    if (error == 0) written_ += block_;
    return error == 0;
}

void ProbeSampler::add_failed(Extent part) {
    if (!failed_runs_.empty() && failed_runs_.back().end == part.begin)
        failed_runs_.back().end = part.end;
    else
        failed_runs_.push_back(part);
}

Result<void> ProbeSampler::write_parts(std::span<const std::byte> bytes, std::uint64_t offset) {
    constexpr std::size_t most_places = 64; // from this number on, whole transfers are recorded
    if (failed_runs_.size() >= most_places) {
        add_failed({offset, offset + bytes.size()});
        return {};
    }
    const auto block = static_cast<std::size_t>(block_.count);
    for (std::size_t at = 0; at < bytes.size(); at += block) {
        const auto part = bytes.subspan(at, std::min(block, bytes.size() - at));
        const int error = medium_->write(part, offset + at);
        if (auto ok = after(error, true, offset + at); !ok) return ok;
        if (error == 0)
            written_ += Bytes{part.size()};
        else
            add_failed({offset + at, offset + at + part.size()});
    }
    return {};
}

Result<void> ProbeSampler::write_run(Extent run, Recorder* recorder) {
    constexpr int most_failed_in_turn = 16;
    int failed_in_turn = 0;
    std::uint64_t prepared = run.begin;
    for (std::uint64_t offset = run.begin; offset < run.end;) {
        const auto bytes =
            buffer_.bytes().first(static_cast<std::size_t>(std::min(run_transfer.count, run.end - offset)));
        if (recorder) recorder->pause(recorder->clock().now());
        if (offset >= prepared) {
            prepared = std::min(offset + prepared_at_once.count, run.end);
            const Extent next{offset, prepared};
            if (auto ok = prepare({&next, 1}); !ok) return ok;
        }
        if (auto allowed = control_->may_write.check(); !allowed) return allowed;
        pattern_.fill(bytes, offset);
        if (recorder) recorder->resume(recorder->clock().now());
        const Ticks start = recorder ? recorder->clock().now() : Ticks{};
        const int error = medium_->write(bytes, offset);
        if (recorder && error == 0) {
            if (Bytes{bytes.size()} == run_transfer)
                recorder->completed(start, recorder->clock().now());
            else
                recorder->add_partial({bytes.size()});
        }
        if (auto ok = after(error, true, offset); !ok) return ok;
        failed_in_turn = error == 0 ? 0 : failed_in_turn + 1;
        if (error == 0)
            written_ += Bytes{bytes.size()};
        else if (auto ok = write_parts(bytes, offset); !ok)
            return ok;
        // If a medium refuses this number of consecutive transfers, its cache keeps none of their data.
        if (failed_in_turn == most_failed_in_turn) return {};
        offset += bytes.size();
        control_->bytes_done.fetch_add(bytes.size(), std::memory_order_relaxed);
    }
    return {};
}

Result<std::vector<bool>> ProbeSampler::fetch(std::uint64_t offset) {
    const auto bytes = buffer_.bytes().first(static_cast<std::size_t>(block_.count));
    std::vector<bool> came(bytes.size() / Pattern::sector_size, true);
    read_ += block_;
    const int error = medium_->read(bytes, offset);
    if (auto ok = after(error, false, offset); !ok) return fail(ok.error());
    if (error == 0) return came;
    const std::size_t sector = static_cast<std::size_t>(medium_->sector().count);
    for (std::size_t at = 0; at < bytes.size(); at += sector) {
        const int again = medium_->read(bytes.subspan(at, sector), offset + at);
        if (auto ok = after(again, false, offset + at); !ok) return fail(ok.error());
        for (std::size_t part = at; part < at + sector; part += Pattern::sector_size)
            came[part / Pattern::sector_size] = again == 0;
    }
    return came;
}

Sample::State ProbeSampler::judge(std::span<const std::byte> sector, std::uint64_t offset,
                                  std::uint64_t& distance) const {
    using State = Sample::State;
    if (std::binary_search(failed_writes_.begin(), failed_writes_.end(), offset)) return State::unwritten;
    if (pattern_.matches(sector, offset)) return State::good;
    if (const auto place = pattern_.stamp_in(sector)) {
        const bool ours = place->generation - first_generation_ <= generation_ - first_generation_;
        if (!ours || place->offset == offset) return State::stale;
        distance = std::max(place->offset, offset) - std::min(place->offset, offset);
        return place->offset > offset ? State::overwritten : State::echo;
    }
    const bool uniform = std::all_of(sector.begin(), sector.end(), [&](std::byte b) { return b == sector.front(); });
    return uniform ? State::blank : State::noise;
}

Result<Sample> ProbeSampler::read(std::uint64_t offset) {
    const auto came = fetch(offset);
    if (!came) return fail(came.error());
    Sample sample{.offset = offset};
    const auto bytes = buffer_.bytes().first(static_cast<std::size_t>(block_.count));
    for (std::size_t at = 0; at < bytes.size() && sample.good(); at += Pattern::sector_size) {
        sample.state = (*came)[at / Pattern::sector_size]
                           ? judge(bytes.subspan(at, Pattern::sector_size), offset + at, sample.distance)
                           : Sample::State::failed;
        if (sample.good()) sample.good_bytes += Pattern::sector_size;
    }
    return sample;
}

Result<std::vector<Sample>> ProbeSampler::read(std::span<const std::uint64_t> offsets) {
    std::vector<Sample> samples;
    samples.reserve(offsets.size());
    for (const std::uint64_t offset : offsets) {
        auto sample = read(offset);
        if (!sample) return fail(sample.error());
        samples.push_back(*sample);
    }
    return samples;
}

Result<std::optional<ProbeSampler::Stamp>> ProbeSampler::stamp_at(std::uint64_t offset) {
    const std::uint64_t sector = medium_->sector().count;
    const std::uint64_t begin = std::min(offset / sector * sector, size_.count - block_.count);
    const auto came = fetch(begin);
    if (!came) return fail(came.error());
    const auto bytes = buffer_.bytes();
    for (std::uint64_t at = offset - begin; at < block_.count; at += Pattern::sector_size) {
        if (!(*came)[static_cast<std::size_t>(at / Pattern::sector_size)]) continue;
        // The first cells of a stamped sector contain its place. So a foreign sector is recognised without decoding it
        // completely.
        const auto place =
            pattern_.stamp_in(bytes.subspan(static_cast<std::size_t>(at), cells_looked_at * Pattern::cell_size));
        if (place && place->generation - first_generation_ <= generation_ - first_generation_)
            return Stamp{begin + at, place->offset, place->generation};
    }
    return std::optional<Stamp>{};
}

Result<bool> ProbeSampler::same_content(std::uint64_t a, std::uint64_t b) {
    const std::size_t length = static_cast<std::size_t>(block_.count);
    auto came = fetch(a);
    if (!came) return fail(came.error());
    const std::vector<std::byte> first(buffer_.bytes().begin(), buffer_.bytes().begin() + block_.count);
    const bool whole = std::find(came->begin(), came->end(), false) == came->end();
    came = fetch(b);
    if (!came) return fail(came.error());
    return whole && std::find(came->begin(), came->end(), false) == came->end() &&
           std::memcmp(first.data(), buffer_.bytes().data(), length) == 0;
}

namespace {

constexpr std::uint64_t evenly_spread = 128;
constexpr Bytes smallest_run = 1_MiB;
/// The search for small real capacities starts here and doubles the position in each step.
constexpr Bytes first_doubling = 1_MiB;

} // namespace

std::vector<std::uint64_t> looks_for(Extent run, Bytes block) {
    std::vector<std::uint64_t> looks;
    const std::uint64_t length = run.end - run.begin;
    // The step is shorter than the run by a quarter, so that one read block is completely inside the run.
    const std::uint64_t step = align_down({length - length / 4}, block).count;
    for (std::uint64_t at = align_down({run.begin}, block).count; at >= step;) {
        at -= step;
        looks.push_back(at);
    }
    // If the capacity ends within the run, only a short piece of the run is below it, starting at 0.
    for (std::uint64_t at = block.count; at < step; at *= 2) looks.push_back(at);
    looks.push_back(0);
    return looks;
}

void lengthen_run(ProbeLayout& layout, Bytes size, Bytes block, Bytes wanted) {
    const Bytes length = align_down(std::clamp(wanted, smallest_run, Bytes{size.count / 2}), block);
    layout.run = {(size - block - length).count, (size - block).count};
    std::erase_if(layout.samples, [&](std::uint64_t at) { return layout.run.holds(at); });
    layout.looks = looks_for(layout.run, block);
}

std::vector<std::uint64_t> boundary_places(Bytes size, Bytes block) {
    std::vector<std::uint64_t> places;
    // The places below 1 MiB have one address bit set each.
    for (std::uint64_t power = block.count; power < first_doubling.count; power *= 2) places.push_back(power);
    for (std::uint64_t power = first_doubling.count; power <= size.count; power *= 2)
        for (const std::uint64_t at : {power, power * 3}) {
            if (Bytes{at} <= size) places.push_back(at - block.count);
            if (Bytes{at} + block <= size) places.push_back(at);
        }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

ProbeLayout probe_layout(Bytes size, Bytes block, Bytes assumed_cache, std::uint64_t seed,
                         std::span<const std::uint64_t> more) {
    ProbeLayout layout;
    std::vector<std::uint64_t>& samples = layout.samples;
    samples = {0, (size - block).count};
    samples.insert(samples.end(), more.begin(), more.end());
    SplitMix numbers(seed);
    const Bytes cell{size.count / evenly_spread};
    for (std::uint64_t i = 0; i < evenly_spread; ++i)
        samples.push_back(align_down({i * cell.count + numbers.next() % cell.count}, block).count);
    for (std::uint64_t at = first_doubling.count; at < size.count / 2; at *= 2)
        samples.push_back(align_down({at + numbers.next() % at}, block).count);
    std::sort(samples.begin(), samples.end());
    samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
    lengthen_run(layout, size, block, assumed_cache);
    return layout;
}

Bytes largest_run_within(Bytes written, std::chrono::nanoseconds took, std::chrono::nanoseconds time, Bytes most) {
    const double times = static_cast<double>(time.count()) / std::max(static_cast<double>(took.count()), 1.0);
    const double length = static_cast<double>(written.count) * std::max(times, 1.0);
    return length < static_cast<double>(most.count) ? Bytes{static_cast<std::uint64_t>(length)}
                                                    : std::max(most, written);
}

Extent sample_run_around(const ProbeLayout& layout, Bytes size, Bytes block, std::uint64_t from, std::uint64_t to) {
    const std::uint64_t length = layout.run.end - layout.run.begin;
    if (layout.run.begin >= to) return layout.run;
    const std::uint64_t above = align_up({to}, block).count;
    if (above + length <= size.count) return {above, above + length};
    const std::uint64_t below = align_down({from}, block).count;
    return {below - std::min(below, length), below};
}

} // namespace mediarig::workload
