// SPDX-License-Identifier: GPL-3.0-or-later
/// Results of a job, with the evidence for their later interpretation. Pure; transferred as JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/measure/finding.hpp"
#include "host/measure/histogram.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

using mediarig::name_of;

/// One second of a cell (the last second may be shorter); or one file, round, walk or interval, if the cell consists of
/// files, rounds, walks or intervals.
struct SeriesSample {
    std::chrono::nanoseconds length{};
    Bytes moved;
    std::uint64_t operations{};
    std::chrono::nanoseconds worst{}; ///< longest single operation that ended in this second
    bool operator==(const SeriesSample&) const = default;
};

/// Evidence that the host's caches did not distort the result: the actions that were executed, not the requested
/// actions.
struct CacheEvidence {
    CachePolicy used{};
    SyncLevel sync{};
    Engine engine{};
    bool page_cache_dropped{};  ///< verified (mincore finds none of the test file resident)
    bool write_cache_flushed{}; ///< a flush reached the device without an error
    std::uint64_t sync_calls{};
    Bytes alignment; ///< alignment of every offset and buffer
    /// Bytes transferred according to the block layer, if the device has such counters; includes metadata.
    std::optional<Bytes> device_read;
    std::optional<Bytes> device_written;
    std::optional<Bytes> file_at; ///< offset of the test file in its volume, if the file system reports it
    bool operator==(const CacheEvidence&) const = default;
};

/// Load of this host while a cell ran. Values that the system does not report are empty.
struct HostLoad {
    std::chrono::nanoseconds over{}; ///< interval of the reading: the cell with its preparation and its flush
    /// Time in which at least one process waited for a processor, for memory, or for I/O (pressure stall information).
    /// The wait for I/O includes that of the test itself.
    std::optional<std::chrono::nanoseconds> processor_waits{}, memory_waits{}, io_waits{};
    std::optional<std::chrono::nanoseconds> stolen{}; ///< by other guests of the hypervisor; mean of the processors
    /// Number of times that this process could run and had to leave its processor to another one.
    std::optional<std::uint64_t> involuntary_switches{};
    bool operator==(const HostLoad&) const = default;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(CellEnd, std::uint8_t, volume, time, error, cancelled)

struct CellResult {
    CellSpec cell;
    Bytes moved;
    std::uint64_t operations{};
    std::chrono::nanoseconds elapsed{};   ///< from the first submission to the last completion or final sync
    std::chrono::nanoseconds sync_time{}; ///< the part of `elapsed` spent in that final sync
    /// Time for generating payload and recording samples; of a verify cell: for waiting until the other thread had
    /// generated or checked data. psync and verify do it while the clock is stopped, so it is not in `elapsed`. io_uring
    /// does it while transfers are in flight, so it is part of `elapsed` (see docs/reference/method.md).
    std::chrono::nanoseconds prepare_time{};
    /// User and kernel time of the threads that did the work, if it was measured.
    std::optional<std::chrono::nanoseconds> processor_time{};
    measure::Histogram latency;
    std::vector<SeriesSample> series;
    std::vector<std::uint32_t> raw_log; ///< empty unless requested
    CacheEvidence evidence;
    std::optional<HostLoad> host_load{}; ///< cells of one run have the reading of that run
    measure::Findings findings;
    CellEnd end{};
};

BOOST_DEFINE_FIXED_ENUM_CLASS(
    DamageKind, std::uint8_t,
    unreadable, ///< an I/O error
    flipped,    ///< right position, some bits differ
    misplaced,  ///< contains the pattern of another position: the address lines or the capacity are fake
    stale,      ///< contains an older generation: the write was dropped
    foreign,    ///< contains data that this program did not write
    unwritten   ///< the write failed
)
struct DamagedRange {
    Bytes offset;
    Bytes length;
    DamageKind kind{};
    std::optional<Bytes> belongs_at; ///< for misplaced: where the first block's contents belong
    bool operator==(const DamagedRange&) const = default;
};

BOOST_DEFINE_FIXED_ENUM_CLASS(CapacityVerdict, std::uint8_t,
                              good,        ///< everything checked is correct
                              fake,        ///< the real capacity is less than the claimed capacity
                              damaged,     ///< the capacity is real, but parts of it do not work
                              inconclusive ///< the results contradict each other
)
/// Behaviour of data beyond the real capacity.
BOOST_DEFINE_FIXED_ENUM_CLASS(FakeKind, std::uint8_t,
                              wrap,   ///< it overwrites data at lower offsets
                              drop,   ///< it is lost: reads return a blank or the previous contents
                              garbage ///< reads return other data
)

/// A range that is much slower than the rest.
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
/// Slow regions and stalls of one pass over the medium.
struct PassSpeed {
    Access access{};
    Bytes region;                            ///< length of the compared regions
    std::uint64_t median_bytes_per_second{}; ///< rate of all regions; 0 if the regions are too few to compare
    std::uint64_t slow_below{};              ///< bytes per second: a region below this is slow
    std::vector<SlowRegion> slow;            ///< ascending, neighbours merged
    std::vector<Stall> stalls;               ///< longest first, at most 10
    bool operator==(const PassSpeed&) const = default;
};
/// Effort of a quick probe and its assumption.
struct ProbeEffort {
    Bytes assumed_cache; ///< a cache up to this size could not have faked the outcome
    Bytes read;
    std::uint64_t rounds{}; ///< number of cycles; each cycle writes, drives the data out of that cache, and reads back
    std::chrono::nanoseconds elapsed{};
    bool operator==(const ProbeEffort&) const = default;
};

/// State of a place that a probe wrote and read back.
BOOST_DEFINE_FIXED_ENUM_CLASS(PlaceState, std::uint8_t,
                              good,       ///< it kept its data
                              slow,       ///< it kept its data; reading took much longer than at most places
                              unreadable, ///< a read failed
                              unwritten,  ///< a write failed
                              not_kept    ///< it returned other data
)
struct CheckedPlace {
    Bytes offset, length;
    PlaceState state{};
    std::chrono::nanoseconds took{}; ///< of its longest read; 0 if that was not measured
    bool operator==(const CheckedPlace&) const = default;
};

/// A part of a medium in a scan. The parts have equal lengths, except for the last one.
struct ScanRegion {
    Bytes offset, length;
    Bytes read;                         ///< 0: not sampled
    std::chrono::nanoseconds elapsed{}; ///< of all its successful transfers
    std::chrono::nanoseconds worst{};   ///< longest of them
    bool operator==(const ScanRegion&) const = default;
};
/// A place whose first read failed or took long, read five times again.
struct WeakPlace {
    Bytes offset, length;
    PlaceState state{};                         ///< slow: readable at least once; or unreadable
    std::uint32_t failed{};                     ///< failed repetitions
    std::vector<std::chrono::nanoseconds> took; ///< of the successful repetitions
    std::vector<std::string> files{};           ///< some of the files with data there; folders end with '/'
    std::uint64_t more_files{};                 ///< number of further files
    bool operator==(const WeakPlace&) const = default;
};
/// Data of an earlier verify job that were read back; see DataLabel.
struct KeptData {
    std::string medium;         ///< that the data were written to
    Bytes size;                 ///< of that medium
    Bytes start, end;           ///< of the data on the medium
    std::uint64_t written_at{}; ///< seconds since 1970
    Bytes good;
    std::vector<DamagedRange> damaged; ///< ascending, merged; at most 10 000, the rest counted in `damaged_bytes`
    Bytes damaged_bytes;
    Bytes foreign_bytes; ///< of the listed ranges: other data, which replaced them or was never written
    bool operator==(const KeptData&) const = default;
};
struct ScanReport {
    Bytes size;
    Bytes transfer; ///< length of one read
    Bytes read;
    std::chrono::nanoseconds elapsed{};
    bool whole{};                      ///< every byte was read, or tried
    std::chrono::nanoseconds median{}; ///< of a transfer
    std::vector<ScanRegion> regions;   ///< ascending
    std::vector<WeakPlace> places;     ///< ascending; at most 1000
    std::string stopped;               ///< reason for an early end; empty otherwise
    std::optional<KeptData> kept{};    ///< only if requested
    /// Volumes with weak places whose files are not all named, one line each.
    std::vector<std::string> unnamed{};
    bool operator==(const ScanReport&) const = default;
};

/// How the saved content of an interrupted check is used.
BOOST_DEFINE_FIXED_ENUM_CLASS(RestoreMode, std::uint8_t,
                              unchanged,  ///< written back unless the medium was changed after the check
                              all,        ///< written back in every case
                              none,       ///< discarded, if it belongs to the medium or has no other content
                              none_forced ///< discarded in every case; the medium is not written
)
/// Result of writing saved content back.
struct RestoreReport {
    std::uint64_t places{}; ///< saved places
    Bytes bytes;            ///< their size
    Bytes written;          ///< 0: every place already had its content
    std::uint64_t lost{};   ///< sectors of 512 bytes that do not accept their content
    std::optional<Bytes> first_lost{};
    bool operator==(const RestoreReport&) const = default;
};

struct VerifyOutcome {
    Bytes claimed;                     ///< capacity offered by the medium or file system
    Bytes written;                     ///< accepted by the medium
    Bytes good;                        ///< read back and equal
    std::vector<DamagedRange> damaged; ///< ascending, merged; at most 10 000, the rest counted in `damaged_bytes`
    Bytes damaged_bytes;
    /// Probable end of a fake's real capacity; empty if no sign of a fake was found.
    std::optional<Bytes> true_capacity;
    std::optional<CapacityVerdict> verdict; ///< empty in records of older versions
    std::optional<FakeKind> fake;           ///< set if the verdict is `fake`
    std::vector<PassSpeed> speeds;          ///< writing, then reading; empty for a quick probe
    std::optional<Bytes> resumed_at;        ///< start of the resumed reading pass; the data below was verified
    std::optional<ProbeEffort> probe;       ///< set for a quick probe only: `good` then counts its samples
    std::vector<CheckedPlace> places;       ///< samples of a quick probe, ascending
    std::optional<RestoreReport> restored;  ///< set for a probe that keeps the data of the medium
    /// How the medium lost its power between writing and reading, one line; empty: both were in one power cycle.
    std::string power_cycled{};
};

struct JobOutcome {
    std::vector<CellResult> cells; ///< a verify job has two: verify_write_id and verify_read_id
    std::optional<VerifyOutcome> verify;
    measure::Findings findings; ///< about the job as a whole
};

} // namespace mediarig::workload
