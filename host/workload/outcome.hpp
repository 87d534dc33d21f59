// SPDX-License-Identifier: GPL-3.0-or-later
/// What came out of a job, with what is needed to argue about it later. Pure; crosses the wire as JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/measure/finding.hpp"
#include "host/measure/histogram.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// One second of a cell (the last one may be shorter); or one file, round, walk or interval, where the cell is made of
/// such.
struct SeriesSample {
    std::chrono::nanoseconds length{};
    Bytes moved;
    std::uint64_t operations{};
    std::chrono::nanoseconds worst{}; ///< longest single operation that ended in this second
    bool operator==(const SeriesSample&) const = default;
};

/// How the number was kept honest: what was done, not what was wished.
struct CacheEvidence {
    CachePolicy used{};
    SyncLevel sync{};
    Engine engine{};
    bool page_cache_dropped{};  ///< verified (mincore finds none of the test file resident)
    bool write_cache_flushed{}; ///< a flush reached the device without an error
    std::uint64_t sync_calls{};
    Bytes alignment; ///< of every offset and buffer
    /// What the block layer says it moved, where the device keeps such counters; includes metadata.
    std::optional<Bytes> device_read;
    std::optional<Bytes> device_written;
    std::optional<Bytes> file_at; ///< where in its volume the test file begins, if the file system tells
    bool operator==(const CacheEvidence&) const = default;
};

enum class CellEnd : std::uint8_t { volume, time, error, cancelled };

struct CellResult {
    CellSpec cell;
    Bytes moved;
    std::uint64_t operations{};
    std::chrono::nanoseconds elapsed{}; ///< first submission to last completion, plus the final sync where there is one
    std::chrono::nanoseconds sync_time{}; ///< the part of `elapsed` spent in that final sync
    /// Spent on making payload and filing samples: by psync while the clock stood still, and then not in `elapsed`; by
    /// io_uring while transfers were in flight, as a part of it (see docs/reference/method.md).
    std::chrono::nanoseconds prepare_time{};
    /// User and kernel time of the threads that did the work, where it was measured.
    std::optional<std::chrono::nanoseconds> processor_time{};
    measure::Histogram latency;
    std::vector<SeriesSample> series;
    std::vector<std::uint32_t> raw_log; ///< empty unless asked for
    CacheEvidence evidence;
    measure::Findings findings;
    CellEnd end{};
};

enum class DamageKind : std::uint8_t {
    unreadable, ///< an I/O error
    flipped,    ///< right position, some bits differ
    misplaced,  ///< holds the pattern of another position: the address lines or the capacity are fake
    stale,      ///< holds an older generation: the write was dropped
    foreign,    ///< nothing we wrote
};
struct DamagedRange {
    Bytes offset;
    Bytes length;
    DamageKind kind{};
    std::optional<Bytes> belongs_at; ///< for misplaced: where the first block's content belongs
    bool operator==(const DamagedRange&) const = default;
};

enum class CapacityVerdict : std::uint8_t {
    good,         ///< everything that was looked at is as it should be
    fake,         ///< the medium holds less than it claims
    damaged,      ///< the capacity is there, parts of it do not work
    inconclusive, ///< what was seen contradicts itself
};
/// What becomes of data beyond the real capacity.
enum class FakeKind : std::uint8_t {
    wrap,    ///< it overwrites what is stored further down
    drop,    ///< it vanishes: what is read there is blank, or what was there before
    garbage, ///< something else is read there
    errors,  ///< transfers fail there
};

/// A stretch that is much slower than the rest.
struct SlowRegion {
    Bytes offset;
    Bytes length;
    std::uint64_t bytes_per_second{};
    bool operator==(const SlowRegion&) const = default;
};
/// One of the longest single transfers.
struct Stall {
    Bytes offset;
    std::chrono::nanoseconds length{};
    bool operator==(const Stall&) const = default;
};
/// How evenly one pass over the medium went.
struct PassSpeed {
    Access access{};
    Bytes region;                            ///< length of the regions that are compared
    std::uint64_t median_bytes_per_second{}; ///< of all regions; 0 where there were too few to compare
    std::uint64_t slow_below{};              ///< bytes a second: a region with less is slow
    std::vector<SlowRegion> slow;            ///< ascending, neighbours merged
    std::vector<Stall> stalls;               ///< longest first, at most 10
    bool operator==(const PassSpeed&) const = default;
};
/// What a quick probe cost, and what it rests on.
struct ProbeEffort {
    Bytes assumed_cache; ///< a cache up to this size could not have faked the outcome
    Bytes read;
    std::uint64_t rounds{}; ///< how often something was written, driven out of that cache and read back
    std::chrono::nanoseconds elapsed{};
    bool operator==(const ProbeEffort&) const = default;
};

struct VerifyOutcome {
    Bytes claimed; ///< what the medium or file system offered
    Bytes written;
    Bytes good;                        ///< read back and equal
    std::vector<DamagedRange> damaged; ///< ascending, merged; at most 10 000, the rest counted in `damaged_bytes`
    Bytes damaged_bytes;
    /// Where a fake's real capacity probably ends; nothing where no sign of a fake was seen.
    std::optional<Bytes> true_capacity;
    std::optional<CapacityVerdict> verdict; ///< nothing in records from before there were verdicts
    std::optional<FakeKind> fake;           ///< set where the verdict is `fake`
    std::vector<PassSpeed> speeds;          ///< writing, then reading; none of a quick probe
    std::optional<Bytes> resumed_at;        ///< the reading began there: what is below was found good before
    std::optional<ProbeEffort> probe;       ///< only a quick probe was made: `good` counts what it sampled
};

struct JobOutcome {
    std::vector<CellResult> cells; ///< a verify job has two: verify_write_id and verify_read_id
    std::optional<VerifyOutcome> verify;
    measure::Findings findings; ///< about the job as a whole
};

} // namespace mediarig::workload
