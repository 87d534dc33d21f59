// SPDX-License-Identifier: GPL-3.0-or-later
/// Collects what a verify pass found wrong, and judges what it means for the capacity. Pure.
#pragma once

#include <optional>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

class DamageMap {
public:
    static constexpr std::size_t most_ranges = 10'000;

    /// Needs ascending offsets. Neighbours of one kind become one range; misplaced ones only while both move on
    /// together.
    void add(const DamagedRange& range);

    /// Of the foreign bytes so many are in sectors that hold one byte repeated: nothing was ever written there.
    void count_blank(Bytes bytes) { blank_ += bytes; }

    [[nodiscard]] Bytes total() const { return total_; }
    [[nodiscard]] const std::vector<DamagedRange>& ranges() const { return ranges_; }

    /// Where the real memory probably ends, of a medium that was written over its first `span` bytes:
    /// - contents of other positions: addresses wrap around, and every distance between where something was found and
    ///   where it belongs is a multiple of the real capacity, so it is their greatest common divisor;
    /// - contents that are not ours, or older, or cannot be read, from some point to the end: nothing is kept there.
    /// Nothing where neither is seen, or too little of it: a single block in the wrong place is damage, not a fake.
    [[nodiscard]] std::optional<Bytes> true_capacity(Bytes span) const;

    /// The medium has stopped to answer: what cannot be read says nothing about where its memory ends.
    void forget_where_it_ends() { lost_from_.reset(); }

    /// What becomes of data beyond true_capacity; nothing where there is none.
    [[nodiscard]] std::optional<FakeKind> fake_kind(Bytes span) const;

    /// One finding for damaged data (unreadable and flipped), one for missing capacity (the rest), where there are any.
    [[nodiscard]] measure::Findings findings(Bytes span) const;

private:
    struct Sum {
        Bytes bytes;
        std::uint64_t ranges{};
        std::optional<Bytes> first;
    };
    Sum& sum_of(DamageKind kind) { return sums_[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] bool wraps(Bytes span) const;
    [[nodiscard]] const Sum& sum_of(DamageKind kind) const { return sums_[static_cast<std::size_t>(kind)]; }

    std::vector<DamagedRange> ranges_;
    std::optional<DamagedRange> last_; ///< as it grows; beyond most_ranges it is counted only
    bool last_is_listed_{};
    Bytes total_, blank_;
    std::uint64_t wrap_{};           ///< greatest common divisor of the distances seen so far
    std::optional<Bytes> lost_from_; ///< start of the stretch of dropped writes that reaches up to lost_to_
    Bytes lost_to_;
    Sum sums_[5];
};

} // namespace mediarig::workload
