// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/probe_search.hpp"

#include <algorithm>
#include <array>

#include "host/text.hpp"
#include "host/workload/probe_boundary.hpp"
#include "host/workload/probe_wrap.hpp"

namespace mediarig::workload {
namespace {

constexpr Bytes smallest_medium = 8_MiB;
/// Less than this is a bad spot at the end, no missing capacity.
Bytes least_missing(Bytes claimed) {
    return {std::max<std::uint64_t>((1_MiB).count, claimed.count / 100)};
}

DamageKind damage_of(Sample::State state) {
    switch (state) {
        case Sample::State::failed:
            return DamageKind::unreadable;
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
                               request.order_seed)),
          control_(control),
          recorder_(recorder) {}

    Result<ProbeResult> run() {
        to_write({layout_.run.end - layout_.run.begin + layout_.samples.size() * sampler_.block().count});
        if (auto looked = look(); !looked) return fail(looked.error());
        if (!alias_ && lost_below_kept())
            if (auto looked = look_from_a_kept_place(); !looked) return fail(looked.error());
        if (alias_)
            if (auto wrapped = follow_alias(); !wrapped) return fail(wrapped.error());
        if (result_.doubt.empty())
            if (auto weighed = weigh_samples(); !weighed) return fail(weighed.error());
        return finish();
    }

private:
    using State = Sample::State;

    /// Step 1.
    Result<void> look() {
        sampler_.begin_round();
        if (auto ok = sampler_.write(layout_.samples); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        if (auto ok = write_first_run(); !ok) return ok;
        if (auto ok = sampler_.flush(); !ok) return ok;
        if (recorder_) recorder_->pause(recorder_->clock().now());
        failed_runs_ = sampler_.failed_runs();
        auto samples = sampler_.read(layout_.samples);
        if (!samples) return fail(samples.error());
        samples_ = std::move(*samples);

        for (const Sample& sample : samples_)
            if (sample.state == State::overwritten && !alias_)
                alias_ = Alias{sample.offset + sample.good_bytes, sample.offset + sample.good_bytes + sample.distance};
        auto alias = find_alias(sampler_, layout_);
        if (!alias) return fail(alias.error());
        if (*alias) alias_ = *alias;
        return {};
    }

    Result<void> write_first_run() {
        if (recorder_) recorder_->begin(recorder_->clock().now());
        const Ticks begun = timed_ ? recorder_->clock().now() : Ticks{};
        const Extent end = layout_.run;
        if (auto ok = sampler_.write_run(end, recorder_); !ok || !timed_) return ok;
        // The end of it has told how fast this medium writes, and so how much more there is time for.
        const std::chrono::nanoseconds took(recorder_->clock().to_ns(recorder_->clock().now() - begun));
        lengthen_run(layout_, sampler_.size(), sampler_.block(),
                     run_that_fits({end.end - end.begin}, took, request_.run_time, request_.assumed_cache));
        to_write({end.begin - layout_.run.begin});
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

    /// Where memory ends before the addresses begin again, the run at the top may have fallen into the gap. One that
    /// surrounds a place where something is kept has not.
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
        return {};
    }

    /// Step 3.
    Result<void> follow_alias() {
        auto modulus = modulus_of(sampler_, layout_, *alias_);
        if (!modulus) return fail(modulus.error());
        if (!*modulus) {
            result_.doubt = "data showed up where it does not belong, and a second write did not confirm it";
            return {};
        }
        modulus_ = (*modulus)->count;
        settle(**modulus, FakeKind::wrap);
        // Memory may end before the addresses begin again: look at what lies just below.
        const std::uint64_t last =
            align_down({modulus_ - std::min(modulus_, sampler_.block().count)}, sampler_.block()).count;
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

    /// Steps 2, 4 and 5. With a modulus, only what lies below it is among the samples.
    Result<void> weigh_samples() {
        const auto kept = [&](const Sample& s) { return BoundarySearch::kept(s, modulus_); };
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
                            " places do not keep what is written, with good ones between them";
            return {};
        }
        if (last_kept != samples_.end()) {
            BoundarySearch search(sampler_, layout_, modulus_);
            auto boundary = search.between(std::prev(last_kept)->offset + sampler_.block().count, last_kept->offset);
            if (!boundary) return fail(boundary.error());
            if (!boundary->at) {
                result_.doubt = "what is lost beyond a certain place was kept there at another time";
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
        const Extent run = run_beside(layout_, sampler_.size(), sampler_.block(), offsets.front(),
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
            result_.doubt = std::to_string(recovered) +
                            " places lost what was written and kept it when it was "
                            "written once more";
        return {};
    }

    void damage(const Sample& sample) {
        result_.outcome.damaged.push_back({{sample.offset}, sampler_.block(), damage_of(sample.state), std::nullopt});
    }

    void settle(Bytes capacity, FakeKind kind) {
        result_.outcome.true_capacity = capacity;
        result_.outcome.fake = kind;
    }

    /// Everything from `at` on is lost, and `tail_` is what was found there.
    Result<void> settle_tail(Bytes at) {
        // A medium that keeps nothing at all is worn out or write-protected, which is no question of capacity.
        if (at.count == 0 || (modulus_ == 0 && sampler_.size() - at < least_missing(sampler_.size()))) {
            for (const Sample& sample : tail_) damage(sample);
            return {};
        }
        auto kind = kind_beyond(at);
        if (!kind) return fail(kind.error());
        settle(at, *kind);
        return {};
    }

    Result<FakeKind> kind_beyond(Bytes at) {
        std::array<std::size_t, 4> seen{};
        const auto count = [&](FakeKind kind) -> std::size_t& { return seen[static_cast<std::size_t>(kind)]; };
        for (const Sample& sample : tail_) {
            switch (sample.state) {
                case State::failed:
                    ++count(FakeKind::errors);
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
                    // Memory that is not there cannot hold old data of its own: either what lies further down is read
                    // again, or it is made up. Addresses that are not whole blocks away cannot be compared as blocks.
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
        return static_cast<FakeKind>(std::max_element(seen.begin(), seen.end()) - seen.begin());
    }

    Result<ProbeResult> finish() {
        VerifyOutcome& outcome = result_.outcome;
        if (!outcome.fake)
            for (const Extent& failed : failed_runs_)
                outcome.damaged.push_back(
                    {{failed.begin}, {failed.end - failed.begin}, DamageKind::unreadable, std::nullopt});
        std::sort(outcome.damaged.begin(), outcome.damaged.end(),
                  [](const DamagedRange& a, const DamagedRange& b) { return a.offset < b.offset; });
        for (const DamagedRange& range : outcome.damaged) outcome.damaged_bytes += range.length;
        for (const Sample& sample : samples_)
            if (BoundarySearch::kept(sample, modulus_)) outcome.good += sampler_.block();
        outcome.claimed = sampler_.size();
        outcome.written = sampler_.written();
        outcome.probe = ProbeEffort{.assumed_cache = {layout_.run.end - layout_.run.begin},
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
    bool timed_; ///< the run is as long as the medium is fast
    ProbeLayout layout_;
    JobControl& control_;
    Recorder* recorder_;
    ProbeResult result_;
    std::vector<Sample> samples_, tail_, spots_;
    std::vector<Extent> failed_runs_;
    std::optional<Alias> alias_;
    std::uint64_t modulus_{};
};

} // namespace

Result<ProbeResult> probe(ProbedMedium& medium, const ProbeRequest& request, JobControl& control, Recorder* recorder) {
    if (medium.size() < smallest_medium)
        return fail(Errc::bad_request, "a medium of " + size_text(medium.size()) +
                                           " is too small to be probed; run verify, which is quick there");
    auto sampler = ProbeSampler::create(medium, request.seed, request.generation, control);
    if (!sampler) return fail(sampler.error());
    return Search(std::move(*sampler), request, control, recorder).run();
}

} // namespace mediarig::workload
