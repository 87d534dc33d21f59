// SPDX-License-Identifier: GPL-3.0-or-later
/// Collects the faults of a verify pass and derives the capacity. Pure.
#pragma once

#include <optional>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

class DamageMap {
public:
    static constexpr std::size_t most_ranges = 10'000;

    /// Requires ascending offsets. Adjacent ranges of one kind are merged; misplaced ranges only if both offsets
    /// advance together.
    void add(const DamagedRange& range);

    /// Counts foreign bytes in sectors that contain one repeated byte: these sectors were never written.
    void count_blank(Bytes bytes) { blank_ += bytes; }

    [[nodiscard]] Bytes total() const { return total_; }
    [[nodiscard]] const std::vector<DamagedRange>& ranges() const { return ranges_; }

    /// The probable end of the real memory of a medium whose first `span` bytes were written:
    /// - Contents of other positions: several addresses are the same memory. The capacity is the lowest address that is
    ///   also a lower one; at most the undamaged start, if that has 1 MiB or more.
    /// - Foreign or old contents from some point to the end: the medium accepted the data and does not keep it. A part
    ///   beyond that point may have been read back equal, because a cache still contained it. A second test must show
    ///   that the medium does not keep this part either: see kept_beyond() and discard_end().
    ///
    /// Failed transfers are no evidence: a fake hides its size, and a medium that reports errors is defective. Empty
    /// without evidence, or with too little data: a single block at a wrong position is damage, not a fake.
    [[nodiscard]] std::optional<Bytes> true_capacity(Bytes span) const;

    struct KeptPlace {
        Bytes offset, length;
        bool operator==(const KeptPlace&) const = default;
    };
    /// Returns the places beyond true_capacity() that were read back equal, ascending; empty if true_capacity() is. If
    /// more than most_ranges ranges were damaged, the last place also contains damaged data.
    [[nodiscard]] std::vector<KeptPlace> kept_beyond(Bytes span) const;

    /// The lost end is no evidence of a missing capacity: the medium no longer keeps data below it either, or keeps
    /// data beyond it at any time.
    void discard_end() { lost_from_.reset(); }

    /// Returns the behaviour of data beyond true_capacity; nothing if true_capacity is empty.
    [[nodiscard]] std::optional<FakeKind> fake_kind(Bytes span) const;

    /// Up to two findings: missing capacity (data in the wrong place or not kept), and damaged data (the rest).
    [[nodiscard]] measure::Findings findings(Bytes span) const;

private:
    struct Sum {
        Bytes bytes;
        std::uint64_t ranges{};
        std::optional<Bytes> first;
        Bytes end; ///< end of the last range
    };
    Sum& sum_of(DamageKind kind) { return sums_[static_cast<std::size_t>(kind)]; }
    void add_lost(const DamagedRange& range);
    /// The capacity if several addresses are the same memory.
    [[nodiscard]] std::optional<Bytes> wrapped_at(Bytes span) const;
    /// The parts of the medium that are the same memory as a lower address; ascending.
    [[nodiscard]] std::vector<DamagedRange> repeated() const;
    [[nodiscard]] const Sum& sum_of(DamageKind kind) const { return sums_[static_cast<std::size_t>(kind)]; }

    std::vector<DamagedRange> ranges_;
    std::optional<DamagedRange> last_; ///< newest range, may still grow; after most_ranges it is only counted
    bool last_is_listed_{};
    Bytes total_, blank_;
    std::optional<Bytes> lost_from_; ///< start of the run of dropped writes that ends at lost_to_
    Bytes lost_to_;
    Bytes lost_in_run_, kept_in_run_; ///< dropped bytes within that run, and the gaps between them
    Bytes failed_in_run_;             ///< failed transfers within that run
    Sum sums_[6];
};

} // namespace mediarig::workload
