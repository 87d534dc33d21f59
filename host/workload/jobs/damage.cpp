// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/damage.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace mediarig::workload {
namespace {

using measure::FindingKind;
using measure::Severity;

constexpr Bytes smallest_capacity = 1_MiB; // no medium on sale has less
constexpr Bytes largest_cache = 1_GiB;     // as ProbeJob assumes it

/// Maximum amount of good data between dropped writes: single good places, because damage further down must not move
/// the start of the lost end.
Bytes most_kept_between(Bytes lost) {
    return Bytes{lost.count / 8};
}
/// Maximum amount of good data after the last dropped write: a cache may contain more data than the medium lost.
Bytes most_kept_after(Bytes lost) {
    return std::min(lost * 4, largest_cache);
}

bool goes_on(const DamagedRange& range, const DamagedRange& next) {
    if (range.kind != next.kind || range.offset + range.length != next.offset) return false;
    if (range.belongs_at.has_value() != next.belongs_at.has_value()) return false;
    return !range.belongs_at || *range.belongs_at + range.length == *next.belongs_at;
}

bool dropped(DamageKind kind) {
    return kind == DamageKind::stale || kind == DamageKind::foreign;
}

bool failed(DamageKind kind) {
    return kind == DamageKind::unreadable || kind == DamageKind::unwritten;
}

} // namespace

void DamageMap::add(const DamagedRange& range) {
    total_ += range.length;
    Sum& sum = sum_of(range.kind);
    sum.bytes += range.length;
    if (!sum.first) sum.first = range.offset;
    sum.end = range.offset + range.length;

    if (dropped(range.kind)) {
        add_lost(range);
    } else if (failed(range.kind) && lost_from_) {
        kept_in_run_ += range.offset - lost_to_;
        lost_to_ = range.offset + range.length;
        failed_in_run_ += range.length;
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

void DamageMap::add_lost(const DamagedRange& range) {
    const Bytes gap = lost_from_ ? range.offset - lost_to_ : 0_B;
    if (!lost_from_ || kept_in_run_ + gap > most_kept_between(lost_in_run_)) {
        lost_from_ = range.offset;
        lost_in_run_ = kept_in_run_ = failed_in_run_ = {};
    } else {
        kept_in_run_ += gap;
    }
    lost_in_run_ += range.length;
    lost_to_ = range.offset + range.length;
}

std::vector<DamagedRange> DamageMap::repeated() const {
    std::vector<DamagedRange> repeated;
    std::map<std::uint64_t, std::uint64_t> seen; // parts, begin -> end, of the data found so far at lower addresses
    for (const DamagedRange& range : ranges_) {
        if (!range.belongs_at) continue;
        const std::uint64_t begin = range.belongs_at->count, end = begin + range.length.count;
        // Memory that contains the data of a lower address was never written by way of this one.
        if (*range.belongs_at < range.offset) {
            repeated.push_back(range);
            continue;
        }
        // The place of the data is the same memory as this lower address, and so is any other place with that data.
        repeated.push_back({*range.belongs_at, range.length, range.kind, range.offset});
        auto part = seen.upper_bound(begin);
        if (part != seen.begin() && std::prev(part)->second > begin) --part;
        std::uint64_t from = begin, to = end;
        for (; part != seen.end() && part->first < end; part = seen.erase(part)) {
            const std::uint64_t first = std::max(begin, part->first);
            repeated.push_back({range.offset + Bytes{first - begin}, Bytes{std::min(end, part->second) - first},
                                range.kind, range.belongs_at});
            from = std::min(from, part->first);
            to = std::max(to, part->second);
        }
        seen[from] = to;
    }
    std::ranges::sort(repeated, {}, &DamagedRange::offset);
    return repeated;
}

std::optional<Bytes> DamageMap::wrapped_at(Bytes span) const {
    const Sum& misplaced = sum_of(DamageKind::misplaced);
    if (misplaced.bytes < smallest_capacity) return std::nullopt;
    const std::vector<DamagedRange> all = repeated();
    // A few misplaced blocks are damage: half of the smallest capacity must follow within such a distance.
    std::optional<Bytes> at;
    for (std::size_t i = 0; i < all.size() && !at; ++i) {
        const Bytes begin = all[i].offset, until = begin + std::min(smallest_capacity, span - begin);
        Bytes same, end = begin;
        for (std::size_t j = i; j < all.size() && all[j].offset < until; ++j) {
            const Bytes from = std::max(all[j].offset, end), to = std::min(all[j].offset + all[j].length, until);
            if (to <= from) continue;
            same += to - from;
            end = to;
        }
        if (same * 2 >= smallest_capacity) at = begin;
    }
    // Of the addresses from there on, each is a lower one or contains the last write to its memory.
    if (!at || *at < smallest_capacity || misplaced.bytes * 2 < span - *at) return std::nullopt;
    return *misplaced.first >= smallest_capacity ? std::min(*at, *misplaced.first) : *at;
}

std::optional<FakeKind> DamageMap::fake_kind(Bytes span) const {
    if (!true_capacity(span)) return std::nullopt;
    if (wrapped_at(span)) return FakeKind::wrap;
    const Bytes dropped_bytes = sum_of(DamageKind::stale).bytes + blank_;
    const Bytes garbage = sum_of(DamageKind::foreign).bytes - blank_;
    return dropped_bytes >= garbage ? FakeKind::drop : FakeKind::garbage;
}

std::optional<Bytes> DamageMap::true_capacity(Bytes span) const {
    if (const auto at = wrapped_at(span)) return at;
    // A medium that keeps nothing, or next to nothing, is worn out or write-protected.
    if (!lost_from_ || *lost_from_ < smallest_capacity) return std::nullopt;
    if (kept_in_run_ + (span - lost_to_) > most_kept_after(lost_in_run_)) return std::nullopt;
    const Bytes least_tail{std::max<std::uint64_t>(smallest_capacity.count, span.count / 100)};
    const Bytes tail = span - *lost_from_;
    return tail >= least_tail && failed_in_run_ * 2 <= tail ? lost_from_ : std::nullopt;
}

std::vector<DamageMap::KeptPlace> DamageMap::kept_beyond(Bytes span) const {
    const auto capacity = true_capacity(span);
    if (!capacity || wrapped_at(span)) return {};
    std::vector<KeptPlace> places;
    Bytes at = *capacity;
    const auto add_up_to = [&](Bytes end) {
        if (end > at) places.push_back({at, end - at});
    };
    for (const DamagedRange& range : ranges_) {
        if (range.offset + range.length <= at) continue;
        add_up_to(range.offset);
        at = range.offset + range.length;
    }
    add_up_to(span);
    return places;
}

namespace {

struct KindText {
    DamageKind kind;
    const char* words;
};
constexpr std::array of_failures{KindText{DamageKind::unwritten, "cannot be written"},
                                 KindText{DamageKind::unreadable, "cannot be read"},
                                 KindText{DamageKind::flipped, "came back with flipped bits"}};
constexpr std::array of_loss{KindText{DamageKind::misplaced, "hold data of another position"},
                             KindText{DamageKind::stale, "hold an older write"},
                             KindText{DamageKind::foreign, "hold none of the written data"}};

} // namespace

measure::Findings DamageMap::findings(Bytes span) const {
    // Combines the places of several kinds, from the start of the first range to the end of the last range.
    struct All {
        Sum sum;
        std::string text;
        void add(const Sum& more, const char* words) {
            if (more.bytes.count == 0) return;
            text += std::to_string(more.bytes.count) + " bytes " + words + ", ";
            sum.bytes += more.bytes;
            sum.ranges += more.ranges;
            if (!sum.first || *more.first < *sum.first) sum.first = more.first;
            sum.end = std::max(sum.end, more.end);
        }
        [[nodiscard]] measure::Finding finding(FindingKind kind, std::string detail) const {
            return {.kind = kind,
                    .severity = Severity::fault,
                    .detail = std::move(detail),
                    .offset = sum.first,
                    .length = sum.bytes,
                    .end = sum.end,
                    .count = sum.ranges};
        }
    };
    measure::Findings findings;
    const auto capacity = true_capacity(span);
    All damaged, lost;
    for (const KindText& each : of_failures) damaged.add(sum_of(each.kind), each.words);
    for (const KindText& each : of_loss) (capacity ? lost : damaged).add(sum_of(each.kind), each.words);
    if (damaged.sum.bytes.count > 0)
        findings.push_back(
            damaged.finding(FindingKind::data_damaged,
                            damaged.text + "out of " + std::to_string(span.count) + ": do not use this medium"));
    if (capacity)
        findings.push_back(lost.finding(FindingKind::capacity_missing,
                                        "of " + std::to_string(span.count) + " bytes written only about " +
                                            std::to_string(capacity->count) + " exist: " + lost.text +
                                            "so the medium is a fake or its address lines are broken"));
    return findings;
}

} // namespace mediarig::workload
