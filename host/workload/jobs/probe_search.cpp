// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/probe_search.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "host/base/text.hpp"

namespace mediarig::workload {
namespace {

constexpr Bytes smallest_medium = 8_MiB;
constexpr Bytes least_capacity = 1_MiB; // no medium on sale has less
/// A smaller lost part is a bad spot at the end and not missing capacity.
Bytes least_missing(Bytes claimed) {
    return {std::max<std::uint64_t>((1_MiB).count, claimed.count / 100)};
}

DamageKind damage_of(Sample::State state) {
    switch (state) {
        case Sample::State::failed:
            return DamageKind::unreadable;
        case Sample::State::unwritten:
            return DamageKind::unwritten;
        case Sample::State::overwritten:
        case Sample::State::echo:
            return DamageKind::misplaced;
        case Sample::State::stale:
            return DamageKind::stale;
        default:
            return DamageKind::foreign;
    }
}

class Search {
public:
    Search(ProbeSampler sampler, const ProbeRequest& request, JobControl& control, Recorder* recorder)
        : sampler_(std::move(sampler)),
          request_(request),
          timed_(recorder != nullptr && request.run_time.count() > 0),
          layout_(probe_layout(sampler_.size(), sampler_.block(),
                               timed_ ? std::min(request.assumed_cache, ProbeJob::least_run) : request.assumed_cache,
                               request.order_seed, boundary_places(sampler_.size(), sampler_.block()))),
          control_(control),
          recorder_(recorder) {}

    Result<ProbeResult> run() {
        to_write({layout_.run.end - layout_.run.begin + layout_.samples.size() * sampler_.block().count});
        if (auto looked = look(); !looked) return fail(looked.error());
        if (auto looked = look_at_run(); !looked) return fail(looked.error());
        if (!alias_ && lost_below_kept())
            if (auto looked = look_from_a_kept_place(); !looked) return fail(looked.error());
        if (alias_)
            if (auto wrapped = follow_alias(); !wrapped) return fail(wrapped.error());
        if (result_.doubt.empty())
            if (auto weighed = weigh_samples(); !weighed) return fail(weighed.error());
        if (request_.widen_time.count() > 0 && is_good())
            if (auto widened = widen(); !widened) return fail(widened.error());
        if (auto tried = try_write(); !tried) return fail(tried.error());
        return finish();
    }

private:
    using State = Sample::State;

    /// Step 1 of probe().
    Result<void> look() {
        sampler_.begin_round();
        if (auto ok = sampler_.write(layout_.samples); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        if (auto ok = write_first_run(); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        if (recorder_) recorder_->pause(recorder_->clock().now());
        first_run_ = layout_.run;
        failed_runs_ = sampler_.failed_runs();
        auto samples = sampler_.read(layout_.samples);
        if (!samples) return fail(samples.error());
        samples_ = std::move(*samples);
        read_first_ = samples_;
        if (std::ranges::any_of(samples_, [](const Sample& sample) { return !sample.good(); }))
            if (auto measured = measure_cache(written_last_); !measured) return measured;

        alias_ = nearest_alias(samples_);
        auto alias = find_alias(sampler_, layout_);
        if (!alias) return fail(alias.error());
        if (*alias && (!alias_ || (*alias)->distance < alias_->distance)) alias_ = *alias;
        return {};
    }

    /// If everything seems good, reads samples of the run, the last data that was written: the medium may have stopped
    /// storing meanwhile. If one is lost, they are samples like all others.
    Result<void> look_at_run() {
        constexpr std::uint64_t looks = 16;
        const auto lost = [](const Sample& sample) { return !sample.good(); };
        if (alias_ || !failed_runs_.empty() || std::ranges::any_of(samples_, lost)) return {};
        const std::uint64_t part =
            align_down(Bytes{(layout_.run.end - layout_.run.begin) / looks}, sampler_.block()).count;
        std::vector<std::uint64_t> offsets;
        for (std::uint64_t i = 0; i < looks; ++i) offsets.push_back(layout_.run.begin + (i + 1) * part - sampler_.block().count);
        const auto seen = sampler_.read(offsets);
        if (!seen) return fail(seen.error());
        if (std::ranges::none_of(*seen, lost)) return {};
        for (std::vector<Sample>* samples : {&samples_, &read_first_}) {
            samples->insert(samples->end(), seen->begin(), seen->end());
            std::ranges::sort(*samples, {}, &Sample::offset);
        }
        return {};
    }

    /// A medium that loses data keeps the last part of the run in its cache, so the size of the kept part is that of
    /// the cache and shows how short the following runs may be. `written_last`: end of the run in the order of writing.
    Result<void> measure_cache(std::uint64_t written_last) {
        constexpr std::uint64_t looks = 64;
        const std::uint64_t length = layout_.run.end - layout_.run.begin, block = sampler_.block().count;
        const std::uint64_t last_part = written_last - layout_.run.begin;
        Bytes kept;
        for (std::uint64_t i = 0; i < looks; ++i) {
            const std::uint64_t age = align_down({length / looks * i}, {block}).count;
            const std::uint64_t end = age < last_part ? written_last - age : layout_.run.end - (age - last_part);
            if (end < layout_.run.begin + block) continue;
            const auto sample = sampler_.read(end - block);
            if (!sample) return fail(sample.error());
            if (sample->good()) kept = Bytes{std::min(length, length / looks * (i + 1))};
        }
        cache_ = kept;
        return {};
    }

    /// Returns a layout with a shorter run, which begins at the place that was written first and has left the cache.
    /// The run is longer than the cache, so each of its blocks displaces another one.
    ProbeLayout with_short_run() const {
        constexpr Bytes reserve{std::uint64_t{16} << 20};
        ProbeLayout shorter = layout_;
        if (!cache_) return shorter;
        const Bytes wanted = std::max(*cache_ + Bytes{cache_->count / 4} + reserve, ProbeJob::least_run);
        const std::uint64_t end = layout_.run.begin + align_up(wanted, sampler_.block()).count;
        shorter.run.end = std::min(end, layout_.run.end);
        return shorter;
    }

    Result<void> write_first_run() {
        if (recorder_) recorder_->begin(recorder_->clock().now());
        const Ticks begun = timed_ ? recorder_->clock().now() : Ticks{};
        const Extent end = layout_.run;
        written_last_ = end.end;
        if (auto ok = sampler_.write_run(end, recorder_); !ok || !timed_) return ok;
        // The end of the run shows how fast this medium writes, and so how many more bytes the time permits.
        const std::chrono::nanoseconds took(recorder_->clock().to_ns(recorder_->clock().now() - begun));
        lengthen_run(layout_, sampler_.size(), sampler_.block(),
                     largest_run_within({end.end - end.begin}, took, request_.run_time, request_.assumed_cache));
        to_write({end.begin - layout_.run.begin});
        if (layout_.run.begin < end.begin) written_last_ = end.begin;
        return sampler_.write_run({layout_.run.begin, end.begin}, recorder_);
    }

    void to_write(Bytes more) {
        control_.bytes_total.store(control_.bytes_done.load(std::memory_order_relaxed) + more.count,
                                   std::memory_order_relaxed);
    }

    bool lost_below_kept() const {
        const auto lost = std::find_if_not(samples_.begin(), samples_.end(), [](const Sample& s) { return s.good(); });
        return std::any_of(lost, samples_.end(), [](const Sample& s) { return s.good(); });
    }

    /// If memory ends before the addresses wrap, the run at the top may have been written into the gap. A run around a
    /// position that keeps data was not written into the gap.
    Result<void> look_from_a_kept_place() {
        const std::uint64_t length = layout_.run.end - layout_.run.begin;
        const auto kept = std::find_if(samples_.rbegin(), samples_.rend(), [](const Sample& s) { return s.good(); });
        const std::uint64_t begin =
            align_down({kept->offset - std::min(kept->offset, length / 2)}, sampler_.block()).count;
        ProbeLayout second = layout_;
        second.run = {begin, std::min(begin + length, sampler_.size().count)};
        second.looks = looks_for(second.run, sampler_.block());
        sampler_.begin_round();
        if (auto ok = sampler_.write_run(second.run); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        auto alias = find_alias(sampler_, second);
        if (!alias) return fail(alias.error());
        if (!*alias) return {};
        alias_ = *alias;
        layout_ = second;
        cache_.reset(); // measured with the first run
        return {};
    }

    /// Step 3 of probe().
    Result<void> follow_alias() {
        auto modulus = modulus_of(sampler_, layout_, *alias_);
        if (!modulus) return fail(modulus.error());
        if (!*modulus) {
            result_.doubt = "data appeared at a wrong position, and a second write did not confirm it";
            return {};
        }
        if ((*modulus)->length < least_capacity) {
            // No medium on sale is so small: the fault of its address lines is damage.
            result_.outcome.damaged.push_back({align_down(Bytes{alias_->at}, sampler_.block()), sampler_.block(),
                                               DamageKind::misplaced, Bytes{alias_->written_at}});
            samples_.clear();
            return {};
        }
        modulus_ = (*modulus)->length.count;
        auto capacity = wrapped_capacity(**modulus);
        if (!capacity) return fail(capacity.error());
        settle(*capacity, FakeKind::wrap);
        // Memory may end before the addresses wrap: check the block just below the capacity.
        const std::uint64_t last =
            align_down(*capacity - std::min(*capacity, sampler_.block()), sampler_.block()).count;
        sampler_.begin_round();
        const std::vector<std::uint64_t> offsets{last};
        if (auto ok = sampler_.write(offsets); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        auto sample = sampler_.read(last);
        if (!sample) return fail(sample.error());
        std::erase_if(samples_, [&](const Sample& s) { return s.offset >= last; });
        samples_.push_back(*sample);
        return {};
    }

    /// The capacity if addresses repeat at the distance `modulus`: the modulus itself if the first address repeats,
    /// otherwise the part below the first place that does.
    Result<Bytes> wrapped_capacity(const Modulus& modulus) {
        std::uint64_t first = 0;
        if (modulus.changed_at) {
            auto changed = first_changed(sampler_, modulus.length, *modulus.changed_at);
            if (!changed) return fail(changed.error());
            first = *changed;
        } else if (const auto overwritten = std::ranges::find(samples_, State::overwritten, &Sample::state);
                   overwritten != samples_.end()) {
            // A cache hides new changes. A good sample that the run would have changed is below the window.
            for (auto sample = samples_.begin(); sample != overwritten; ++sample)
                if (sample->good() && run_repeats(sample->offset)) first = sample->offset + sampler_.block().count;
        }
        return Bytes{first} < least_capacity ? Bytes{first} + modulus.length : Bytes{first};
    }

    /// True if the first run contains a place at a distance of whole moduli above `offset`.
    bool run_repeats(std::uint64_t offset) const {
        if (offset >= first_run_.begin) return false;
        const std::uint64_t into = (first_run_.begin - offset) % modulus_;
        return first_run_.begin + (into == 0 ? 0 : modulus_ - into) + sampler_.block().count <= first_run_.end;
    }

    /// Steps 2, 4 and 5 of probe(). With a modulus, only places below it are among the samples.
    Result<void> weigh_samples() {
        const auto kept = [&](const Sample& s) { return BoundarySearch::kept(s, modulus_); };
        if (samples_.empty()) return {};
        const auto last_kept = std::find_if(samples_.rbegin(), samples_.rend(), kept).base();
        if (last_kept == samples_.begin()) {
            tail_ = samples_;
            return settle_tail(0_B);
        }
        for (auto sample = samples_.begin(); sample != last_kept; ++sample)
            if (!kept(*sample)) spots_.push_back(*sample);
        const auto looked_at = static_cast<std::size_t>(last_kept - samples_.begin());
        if (spots_.size() > 2 && spots_.size() * 4 > looked_at) {
            result_.doubt = std::to_string(spots_.size()) + " of " + std::to_string(looked_at) +
                            " places do not keep their data, with good places between them";
            return {};
        }
        if (last_kept != samples_.end()) {
            const std::uint64_t good = std::prev(last_kept)->offset + sampler_.block().count;
            const std::uint64_t bad = last_kept->offset;
            const ProbeLayout shorter = with_short_run();
            auto boundary = BoundarySearch(sampler_, shorter, modulus_).between(good, bad);
            if (!boundary) return fail(boundary.error());
            // The shorter run did not drive everything out of the cache: only the whole run is certain to do so.
            if (!boundary->at && shorter.run != layout_.run) {
                boundary = BoundarySearch(sampler_, layout_, modulus_).between(good, bad);
                if (!boundary) return fail(boundary.error());
            }
            if (!boundary->at) {
                result_.doubt = "data beyond a certain position was lost, and was kept there at another time";
                return {};
            }
            tail_.assign(last_kept, samples_.end());
            tail_.insert(tail_.end(), boundary->beyond.begin(), boundary->beyond.end());
            if (auto settled = settle_tail(*boundary->at); !settled) return settled;
        }
        return look_again_at_spots();
    }

    Result<void> look_again_at_spots() {
        if (spots_.empty()) return {};
        std::vector<std::uint64_t> offsets;
        for (const Sample& spot : spots_) offsets.push_back(spot.offset);
        sampler_.begin_round();
        if (auto ok = sampler_.write(offsets); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        const Extent run = sample_run_around(layout_, sampler_.size(), sampler_.block(), offsets.front(),
                                             offsets.back() + sampler_.block().count);
        if (auto ok = sampler_.write_run(run); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        const auto again = sampler_.read(offsets);
        if (!again) return fail(again.error());
        std::size_t recovered = 0;
        for (const Sample& sample : *again) {
            if (BoundarySearch::kept(sample, modulus_))
                ++recovered;
            else
                damage(sample);
        }
        if (recovered > 0 && !result_.outcome.fake)
            result_.doubt = std::to_string(recovered) + " places lost their data and kept it after a second write";
        return {};
    }

    /// After failed writes: finds whether the medium also refuses writes where it accepted them before.
    Result<void> try_write() {
        if (result_.outcome.fake) return {};
        if (sampler_.written() == 0_B) {
            result_.refuses_writes = true;
            return {};
        }
        const auto accepted =
            std::ranges::find_if(read_first_, [](const Sample& sample) { return sample.state != State::unwritten; });
        const bool failed = !failed_runs_.empty() || std::ranges::any_of(samples_, [](const Sample& sample) {
            return sample.state == State::unwritten;
        });
        if (!failed || accepted == read_first_.end()) return {};
        const auto accepts = sampler_.accepts_write(accepted->offset);
        if (!accepts) return fail(accepts.error());
        result_.refuses_writes = !*accepts;
        return {};
    }

    bool is_good() const {
        return result_.doubt.empty() && !result_.outcome.fake && result_.outcome.damaged.empty() &&
               failed_runs_.empty();
    }

    /// Writes the samples and the run again, then the other content of the medium, and looks for them once more.
    Result<void> widen() {
        const Ticks start = recorder_ ? recorder_->clock().now() : Ticks{};
        const Ticks most = recorder_ ? recorder_->clock().from_ns(request_.widen_time) : Ticks{};
        to_write({sampler_.size().count + (layout_.run.end - layout_.run.begin)});
        sampler_.begin_round();
        if (auto ok = sampler_.write(layout_.samples); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        if (auto ok = sampler_.write_run(layout_.run); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        Bytes since{layout_.run.end - layout_.run.begin};
        for (std::uint64_t at = 0; at < layout_.run.begin; at += ProbeSampler::prepared_at_once.count) {
            if (recorder_ && recorder_->clock().now() - start >= most) break;
            const Extent part{at, std::min(at + ProbeSampler::prepared_at_once.count, layout_.run.begin)};
            if (auto ok = sampler_.refresh(part); !ok) {
                if (ok.error().code != Errc::io_failed) return ok;
                result_.doubt = ok.error().detail;
                return {};
            }
            since += Bytes{part.end - part.begin};
        }
        // The last block of the medium is a sample.
        if (since + sampler_.block() >= sampler_.size()) since = sampler_.size();
        const auto samples = sampler_.read(layout_.samples);
        if (!samples) return fail(samples.error());
        const auto lost = std::ranges::count_if(*samples, [](const Sample& sample) { return !sample.good(); });
        const auto alias = find_alias(sampler_, layout_);
        if (!alias) return fail(alias.error());
        if (lost > 0 || *alias)
            result_.doubt = std::to_string(lost) + " places lost their data after " + size_text(since) +
                            " of other data were written" + (*alias ? ", and data appeared at a wrong position" : "") +
                            ": a large cache hides missing memory";
        widest_ = since;
        return {};
    }

    void damage(const Sample& sample) {
        result_.outcome.damaged.push_back({{sample.offset}, sampler_.block(), damage_of(sample.state), std::nullopt});
    }

    void settle(Bytes capacity, FakeKind kind) {
        result_.outcome.true_capacity = capacity;
        result_.outcome.fake = kind;
    }

    /// Everything from `at` on is lost; `tail_` contains the samples found there.
    Result<void> settle_tail(Bytes at) {
        // A medium that keeps no data at all is worn out or write-protected; its capacity is not the cause.
        if (at.count == 0 || (modulus_ == 0 && sampler_.size() - at < least_missing(sampler_.size()))) {
            for (const Sample& sample : tail_) damage(sample);
            return {};
        }
        auto kind = kind_beyond(at);
        if (!kind) return fail(kind.error());
        if (*kind)
            settle(at, **kind);
        else if (modulus_ != 0) // its addresses wrap, which proves the fake
            settle(at, FakeKind::wrap);
        else
            for (const Sample& sample : tail_) damage(sample);
        return {};
    }

    /// Returns the kind of the fake. Empty if transfers beyond `at` fail: a fake hides its size, and a medium that
    /// reports errors is defective.
    Result<std::optional<FakeKind>> kind_beyond(Bytes at) {
        std::array<std::size_t, 3> seen{};
        std::size_t failed = 0;
        const auto count = [&](FakeKind kind) -> std::size_t& { return seen[static_cast<std::size_t>(kind)]; };
        for (const Sample& sample : tail_) {
            switch (sample.state) {
                case State::failed:
                case State::unwritten:
                    ++failed;
                    break;
                case State::echo:
                case State::stale:
                case State::blank:
                    ++count(FakeKind::drop);
                    break;
                case State::overwritten:
                case State::good:
                    break;
                case State::noise: {
                    // Missing memory cannot hold old data: the medium either returns data from further down or invents
                    // it. Addresses at a distance that is no multiple of the block cannot be compared as blocks.
                    const std::uint64_t below = sample.offset % at.count;
                    const bool comparable =
                        below % sampler_.block().count == 0 && Bytes{below} + sampler_.block() <= at;
                    auto old = comparable ? sampler_.same_content(sample.offset, below) : Result<bool>(false);
                    if (!old) return fail(old.error());
                    ++count(*old ? FakeKind::drop : FakeKind::garbage);
                    break;
                }
            }
        }
        const auto most = std::max_element(seen.begin(), seen.end());
        if (failed > 0 && failed >= *most) return std::optional<FakeKind>{};
        return static_cast<FakeKind>(most - seen.begin());
    }

    /// The samples of step 1, judged with the result of the later steps.
    std::vector<CheckedPlace> places() const {
        const VerifyOutcome& outcome = result_.outcome;
        const Bytes block = sampler_.block();
        std::vector<CheckedPlace> places;
        for (const Sample& sample : read_first_) {
            const Bytes offset{sample.offset};
            PlaceState state = PlaceState::not_kept;
            if (outcome.true_capacity && offset + block > *outcome.true_capacity)
                state = PlaceState::not_kept;
            else if (sample.state == State::failed)
                state = PlaceState::unreadable;
            else if (sample.state == State::unwritten)
                state = PlaceState::unwritten;
            else if (BoundarySearch::kept(sample, modulus_))
                state = PlaceState::good;
            places.push_back({.offset = offset, .length = block, .state = state});
        }
        for (const Extent& failed : failed_runs_)
            places.push_back(
                {.offset = {failed.begin}, .length = {failed.end - failed.begin}, .state = PlaceState::unwritten});
        std::ranges::sort(places, {}, &CheckedPlace::offset);
        return places;
    }

    Result<ProbeResult> finish() {
        VerifyOutcome& outcome = result_.outcome;
        if (!outcome.fake)
            for (const Extent& failed : failed_runs_)
                outcome.damaged.push_back(
                    {{failed.begin}, {failed.end - failed.begin}, DamageKind::unwritten, std::nullopt});
        std::sort(outcome.damaged.begin(), outcome.damaged.end(),
                  [](const DamagedRange& a, const DamagedRange& b) { return a.offset < b.offset; });
        for (const DamagedRange& range : outcome.damaged) outcome.damaged_bytes += range.length;
        for (const Sample& sample : samples_)
            if (BoundarySearch::kept(sample, modulus_)) outcome.good += sampler_.block();
        outcome.places = places();
        outcome.claimed = sampler_.size();
        outcome.written = sampler_.written();
        outcome.probe = ProbeEffort{.assumed_cache = std::max(widest_, Bytes{layout_.run.end - layout_.run.begin}),
                                    .read = sampler_.bytes_read(),
                                    .rounds = sampler_.rounds(),
                                    .elapsed = {}};
        if (!result_.doubt.empty()) {
            outcome.verdict = CapacityVerdict::inconclusive;
            outcome.fake.reset();
            outcome.true_capacity.reset();
        } else {
            outcome.verdict = outcome.fake              ? CapacityVerdict::fake
                              : outcome.damaged.empty() ? CapacityVerdict::good
                                                        : CapacityVerdict::damaged;
        }
        control_.bytes_total.store(control_.bytes_done.load(std::memory_order_relaxed), std::memory_order_relaxed);
        return std::move(result_);
    }

    ProbeSampler sampler_;
    ProbeRequest request_;
    bool timed_; ///< the length of the run depends on the speed of the medium
    ProbeLayout layout_;
    JobControl& control_;
    Recorder* recorder_;
    ProbeResult result_;
    std::vector<Sample> samples_, tail_, spots_;
    std::vector<Sample> read_first_; ///< the samples of step 1
    Extent first_run_;                       ///< of step 1
    std::vector<Extent> failed_runs_;
    std::optional<Alias> alias_;
    Bytes widest_;                 ///< written by widen() after the samples
    std::optional<Bytes> cache_;   ///< upper limit of the cache's size, if data were lost
    std::uint64_t written_last_{}; ///< end of the part of the first run that was written last
    std::uint64_t modulus_{};
};

} // namespace

void mark_slow(std::vector<CheckedPlace>& places) {
    constexpr int times_median = 10;
    constexpr std::chrono::nanoseconds least = std::chrono::milliseconds(10);
    std::vector<std::chrono::nanoseconds> times;
    for (const CheckedPlace& place : places)
        if (place.took.count() > 0) times.push_back(place.took);
    if (times.empty()) return;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    for (CheckedPlace& place : places)
        if (place.state == PlaceState::good && place.took >= least && place.took > *middle * times_median)
            place.state = PlaceState::slow;
}

Result<ProbeResult> probe(ProbedMedium& medium, const ProbeRequest& request, JobControl& control, Recorder* recorder) {
    if (medium.size() < smallest_medium)
        return fail(Errc::bad_request, "a medium of " + size_text(medium.size()) +
                                           " is too small to be probed; run verify, which is quick there");
    auto sampler = ProbeSampler::create(medium, request.seed, request.generation, control);
    if (!sampler) return fail(sampler.error());
    return Search(std::move(*sampler), request, control, recorder).run();
}

namespace {

/// Number of blocks per step. Without a cache a step costs almost nothing, so few blocks are written; through the cache
/// each step costs a whole run, so few steps are made: the blocks of a step are a small part of its run.
constexpr std::uint64_t steps_at_once = 16;
constexpr std::uint64_t least_through_the_cache = 256, parts_of_run = 64;

std::uint64_t steps_through_the_cache(const ProbeLayout& layout, Bytes block) {
    const std::uint64_t run = layout.run.end - layout.run.begin;
    return std::max(least_through_the_cache, run / parts_of_run / block.count);
}

} // namespace

Result<std::vector<Sample>> BoundarySearch::round(const std::vector<std::uint64_t>& offsets, Mode mode,
                                                  std::uint64_t from, std::uint64_t to) {
    sampler_.begin_round();
    if (auto ok = sampler_.write(offsets); !ok) return fail(ok.error());
    if (auto ok = sampler_.flush(); !ok) return fail(ok.error());
    if (mode == Mode::through_the_cache) {
        const Extent run = sample_run_around(layout_, sampler_.size(), sampler_.block(), from, to);
        if (auto ok = sampler_.write_run(run); !ok) return fail(ok.error());
        if (auto ok = sampler_.flush(); !ok) return fail(ok.error());
    }
    return sampler_.read(offsets);
}

Result<BoundarySearch::NarrowedRange> BoundarySearch::narrow(std::uint64_t good, std::uint64_t bad, Mode mode) {
    using SearchResult = NarrowedRange::SearchResult;
    const std::uint64_t block = sampler_.block().count;
    const std::uint64_t between = (bad - good) / block;
    const std::uint64_t steps =
        std::min(between, mode == Mode::at_once ? steps_at_once : steps_through_the_cache(layout_, {block}));
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < steps; ++i) offsets.push_back(good + (i * between / steps) * block);
    offsets.push_back(bad); // control: this block was lost before
    const auto samples = round(offsets, mode, good, bad + block);
    if (!samples) return fail(samples.error());

    NarrowedRange result{good, bad, samples->back().good_bytes, SearchResult::narrower};
    if (kept(samples->back(), modulus_)) {
        result.told = mode == Mode::at_once ? SearchResult::cached : SearchResult::contradiction;
        return result;
    }
    const auto first_lost =
        std::find_if(samples->begin(), samples->end(), [&](const Sample& s) { return !kept(s, modulus_); });
    if (std::any_of(first_lost, samples->end(), [&](const Sample& s) { return kept(s, modulus_); })) {
        result.told = SearchResult::contradiction;
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
        if (step->told == NarrowedRange::SearchResult::cached) return search(good, bad, Mode::through_the_cache);
        if (step->told == NarrowedRange::SearchResult::contradiction) return Boundary{};
        lower = step->good;
        bad = step->bad;
        prefix = step->bad_prefix;
        looked_at_bad = true;
    }
    const std::uint64_t at = bad + prefix;
    auto proof = prove(at);
    if (!proof) return fail(proof.error());
    if (proof->kept_below && proof->lost_above) return Boundary{Bytes{at}, std::move(proof->beyond)};
    // The blocks that seemed kept were in a cache. Search again through the cache.
    if (!proof->kept_below && mode == Mode::at_once && proof->first_lost >= good)
        return search(good, proof->first_lost, Mode::through_the_cache);
    return Boundary{};
}

Result<Boundary> BoundarySearch::between(std::uint64_t good, std::uint64_t bad) {
    return search(good, bad, Mode::at_once);
}

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

/// True if places at this distance contain the data of the alias. In a window, only some of them do.
Result<bool> same_memory(ProbeSampler& sampler, Alias alias, std::uint64_t distance) {
    for (const std::uint64_t other : {alias.at - distance, alias.at + distance, alias.written_at - distance}) {
        if (other >= sampler.size().count) continue; // also below 0
        const auto stamp = sampler.stamp_at(other);
        if (!stamp) return fail(stamp.error());
        if (*stamp && (*stamp)->at == other && (*stamp)->belongs_at == alias.written_at) return true;
    }
    return false;
}

/// Writes the low place, then the high one, which then appears at the low place if it is the same memory. Returns the
/// number of bytes at the low place before the first changed sector; the size of a block if none changed.
Result<std::uint64_t> unchanged_at(ProbeSampler& sampler, std::uint64_t low, std::uint64_t modulus) {
    sampler.begin_round();
    const std::vector<std::uint64_t> first{low}, second{low + modulus};
    if (auto ok = sampler.write(first); !ok) return fail(ok.error());
    if (auto ok = sampler.write(second); !ok) return fail(ok.error());
    if (auto ok = sampler.flush(); !ok) return fail(ok.error());
    const auto seen = sampler.read(low);
    if (!seen) return fail(seen.error());
    return seen->state == Sample::State::overwritten && seen->distance == modulus ? seen->good_bytes
                                                                                  : sampler.block().count;
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
            return Alias{(*stamp)->at, (*stamp)->belongs_at, (*stamp)->belongs_at - (*stamp)->at};
    }
    return std::optional<Alias>{};
}

std::optional<Alias> nearest_alias(std::span<const Sample> samples) {
    std::map<std::uint64_t, std::vector<std::uint64_t>> places; // of the data of each place, ascending
    for (const Sample& sample : samples)
        if (sample.state == Sample::State::overwritten) {
            const std::uint64_t at = sample.offset + sample.good_bytes;
            places[at + sample.distance].push_back(at);
        }
    std::optional<Alias> nearest;
    std::uint64_t lowest = 0;
    for (const auto& [written_at, same] : places) {
        const std::uint64_t second = same.size() > 1 ? same[1] : written_at;
        if (nearest && second >= lowest) continue;
        lowest = second;
        nearest = Alias{same.front(), written_at, second - same.front()};
    }
    return nearest;
}

Result<std::optional<Modulus>> modulus_of(ProbeSampler& sampler, const ProbeLayout& layout, Alias alias) {
    std::uint64_t sectors = alias.distance / unit;
    for (const std::uint64_t prime : prime_factors(sectors))
        while (sectors % prime == 0) {
            const auto same = same_memory(sampler, alias, sectors / prime * unit);
            if (!same) return fail(same.error());
            if (!*same) break;
            sectors /= prime;
        }
    const Bytes modulus{sectors * unit};

    std::vector<std::uint64_t> pair;
    if (modulus + sampler.block() <= sampler.size()) {
        const std::uint64_t highest = (sampler.size() - sampler.block() - modulus).count;
        // Upper addresses may repeat at this distance only among themselves.
        for (const std::uint64_t at : {alias.written_at - modulus.count, alias.at}) {
            const std::uint64_t low = align_down(Bytes{std::min(at, highest)}, sampler.block()).count;
            const auto unchanged = unchanged_at(sampler, low, modulus.count);
            if (!unchanged) return fail(unchanged.error());
            if (*unchanged < sampler.block().count) return Modulus{modulus, low};
            pair = {low, low + modulus.count};
        }
    }
    // A cache that does not model the wrap may have served the read. Write both places and the run again, which drives
    // out the older data, and check that data of that distance appears.
    sampler.begin_round();
    if (auto ok = sampler.write(pair); !ok) return fail(ok.error());
    if (auto ok = sampler.write_run(layout.run); !ok) return fail(ok.error());
    if (auto ok = sampler.flush(); !ok) return fail(ok.error());
    if (!pair.empty()) {
        const auto seen = sampler.read(pair.front());
        if (!seen) return fail(seen.error());
        if (seen->state == Sample::State::overwritten && seen->distance % modulus.count == 0)
            return Modulus{modulus, std::nullopt};
    }
    const auto again = find_alias(sampler, layout);
    if (!again) return fail(again.error());
    if (!*again || (*again)->distance % modulus.count != 0) return std::optional<Modulus>{};
    return Modulus{modulus, std::nullopt};
}

Result<std::uint64_t> first_changed(ProbeSampler& sampler, Bytes modulus, std::uint64_t changed_at) {
    const std::uint64_t block = sampler.block().count;
    auto unchanged = unchanged_at(sampler, 0, modulus.count);
    if (!unchanged) return fail(unchanged.error());
    if (*unchanged < block) return *unchanged;
    std::uint64_t below = 0, first = changed_at;
    while (first - below > block) {
        const std::uint64_t middle = align_down(Bytes{below + (first - below) / 2}, sampler.block()).count;
        unchanged = unchanged_at(sampler, middle, modulus.count);
        if (!unchanged) return fail(unchanged.error());
        (*unchanged < block ? first : below) = middle;
    }
    unchanged = unchanged_at(sampler, first, modulus.count);
    if (!unchanged) return fail(unchanged.error());
    return first + *unchanged;
}

} // namespace mediarig::workload
