// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/damage.hpp"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <string>

namespace mediarig::workload {
namespace {

using measure::FindingKind;
using measure::Severity;

constexpr Bytes smallest_capacity = 1_MiB; // no medium on sale has less

bool goes_on(const DamagedRange& range, const DamagedRange& next) {
    if (range.kind != next.kind || range.offset + range.length != next.offset) return false;
    if (range.belongs_at.has_value() != next.belongs_at.has_value()) return false;
    return !range.belongs_at || *range.belongs_at + range.length == *next.belongs_at;
}

bool dropped(DamageKind kind) {
    return kind == DamageKind::stale || kind == DamageKind::foreign || kind == DamageKind::unreadable;
}

} // namespace

void DamageMap::add(const DamagedRange& range) {
    total_ += range.length;
    Sum& sum = sum_of(range.kind);
    sum.bytes += range.length;
    if (!sum.first) sum.first = range.offset;

    if (range.belongs_at) {
        const std::uint64_t there = range.belongs_at->count;
        const std::uint64_t here = range.offset.count;
        wrap_ = std::gcd(wrap_, there > here ? there - here : here - there);
    }
    if (dropped(range.kind)) {
        if (!lost_from_ || lost_to_ != range.offset) lost_from_ = range.offset;
        lost_to_ = range.offset + range.length;
    }

    if (last_ && goes_on(*last_, range)) {
        last_->length += range.length;
        if (last_is_listed_) ranges_.back().length = last_->length;
        return;
    }
    ++sum.ranges;
    last_ = range;
    last_is_listed_ = ranges_.size() < most_ranges;
    if (last_is_listed_) ranges_.push_back(range);
}

bool DamageMap::wraps(Bytes span) const {
    if (wrap_ < smallest_capacity.count || wrap_ >= span.count) return false;
    // After a wrap, all data below the end of the overwritten part belongs elsewhere. At least half of it must be
    // detected.
    const Bytes overwritten = std::min(Bytes{wrap_}, span - Bytes{wrap_});
    return sum_of(DamageKind::misplaced).bytes * 2 >= overwritten;
}

std::optional<FakeKind> DamageMap::fake_kind(Bytes span) const {
    if (!true_capacity(span)) return std::nullopt;
    if (wraps(span)) return FakeKind::wrap;
    const Bytes dropped_bytes = sum_of(DamageKind::stale).bytes + blank_;
    const Bytes garbage = sum_of(DamageKind::foreign).bytes - blank_;
    const Bytes errors = sum_of(DamageKind::unreadable).bytes;
    if (errors >= dropped_bytes && errors >= garbage) return FakeKind::errors;
    return dropped_bytes >= garbage ? FakeKind::drop : FakeKind::garbage;
}

std::optional<Bytes> DamageMap::true_capacity(Bytes span) const {
    if (wraps(span)) return Bytes{wrap_};
    const Bytes least_tail{std::max<std::uint64_t>(smallest_capacity.count, span.count / 100)};
    if (lost_from_ && lost_to_ == span && span - *lost_from_ >= least_tail) return lost_from_;
    return std::nullopt;
}

measure::Findings DamageMap::findings(Bytes span) const {
    measure::Findings findings;
    const auto text = [](const Sum& sum, const char* what) {
        return sum.bytes.count == 0 ? std::string{} : std::to_string(sum.bytes.count) + " bytes " + what + ", ";
    };
    const Sum& unreadable = sum_of(DamageKind::unreadable);
    const Sum& flipped = sum_of(DamageKind::flipped);
    const Sum& misplaced = sum_of(DamageKind::misplaced);
    const Sum& stale = sum_of(DamageKind::stale);
    const Sum& foreign = sum_of(DamageKind::foreign);

    const auto earliest = [](std::initializer_list<const Sum*> sums) {
        std::optional<Bytes> first;
        for (const Sum* sum : sums)
            if (sum->first && (!first || *sum->first < *first)) first = sum->first;
        return first;
    };
    const auto capacity = true_capacity(span);
    const bool errors_beyond = fake_kind(span) == FakeKind::errors;
    const Bytes lost = misplaced.bytes + stale.bytes + foreign.bytes + (errors_beyond ? unreadable.bytes : Bytes{});
    const Bytes unreadable_within = errors_beyond ? Bytes{} : unreadable.bytes;
    const Bytes damaged = unreadable_within + flipped.bytes + (capacity ? Bytes{} : lost);
    if (damaged.count > 0) {
        std::string detail =
            (errors_beyond ? "" : text(unreadable, "cannot be read")) + text(flipped, "came back with flipped bits");
        if (!capacity)
            detail += text(misplaced, "hold data of another position") + text(stale, "hold an older write") +
                      text(foreign, "hold none of the written data");
        detail += "out of " + std::to_string(span.count) + ": do not use this medium";
        findings.push_back({.kind = FindingKind::data_damaged,
                            .severity = Severity::fault,
                            .detail = std::move(detail),
                            .offset = capacity ? errors_beyond ? flipped.first : earliest({&unreadable, &flipped})
                                               : earliest({&unreadable, &flipped, &misplaced, &stale, &foreign}),
                            .length = damaged,
                            .count = (errors_beyond ? 0 : unreadable.ranges) + flipped.ranges +
                                     (capacity ? 0 : misplaced.ranges + stale.ranges + foreign.ranges)});
    }
    if (capacity)
        findings.push_back(
            {.kind = FindingKind::capacity_missing,
             .severity = Severity::fault,
             .detail = "of " + std::to_string(span.count) + " bytes written only about " +
                       std::to_string(capacity->count) + " exist: " + text(misplaced, "hold data of another position") +
                       text(stale, "hold an older write") + text(foreign, "hold none of the written data") +
                       (errors_beyond ? text(unreadable, "cannot be read") : "") +
                       "so the medium is a fake or its address lines are broken",
             .offset = errors_beyond ? earliest({&misplaced, &stale, &foreign, &unreadable})
                                     : earliest({&misplaced, &stale, &foreign}),
             .length = lost,
             .count = misplaced.ranges + stale.ranges + foreign.ranges + (errors_beyond ? unreadable.ranges : 0)});
    return findings;
}

} // namespace mediarig::workload
