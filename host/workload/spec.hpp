// SPDX-License-Identifier: GPL-3.0-or-later
/// The operations on a medium as plain values: suites expand into jobs, jobs are lists of cells. Pure; transferred as
/// JSON.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"

namespace mediarig::workload {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(Access, std::uint8_t, sequential_read, sequential_write, random_read, random_write)
[[nodiscard]] constexpr auto other_names(Access** /*type*/) {
    return std::array{Name<Access>{Access::sequential_read, "seq_read"},
                      Name<Access>{Access::sequential_write, "seq_write"}};
}
[[nodiscard]] constexpr bool writes(Access a) {
    return a == Access::sequential_write || a == Access::random_write;
}
[[nodiscard]] constexpr bool random(Access a) {
    return a == Access::random_read || a == Access::random_write;
}

BOOST_DEFINE_FIXED_ENUM_CLASS(Engine, std::uint8_t, psync, uring)

/// The method that keeps the host's page cache out of the result. This is the request; CellResult contains the method
/// that was used.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    CachePolicy, std::uint8_t,
    direct,  ///< O_DIRECT; if the file system refuses it, `dropped` is used, with a finding
    dropped, ///< through the page cache, which is written back and dropped before each reading cell
    cached   ///< the measurement includes the page cache
)

/// When data must be on the medium.
BOOST_DEFINE_FIXED_ENUM_CLASS(SyncLevel, std::uint8_t,
                              none,              ///< at any time the kernel chooses; the cell does not wait
                              at_end,            ///< fdatasync after the last write, inside the timed window
                              each_io,           ///< O_DSYNC: each write returns when the device reports it as stable
                              each_io_attributes ///< O_SYNC: also for the file's attributes
)
/// Returns true if each write returns only when the device reports it as stable.
[[nodiscard]] constexpr bool syncs_each_io(SyncLevel sync) {
    return sync == SyncLevel::each_io || sync == SyncLevel::each_io_attributes;
}

BOOST_DEFINE_FIXED_ENUM_CLASS(PayloadKind, std::uint8_t,
                              incompressible, ///< AES-based pattern, unique per position, start value and generation
                              given,          ///< `given` repeated, with each 512-byte sector stamped with its position
                              zeros,          ///< for comparison with tools that write zeros; never a default
                              ones,           ///< bytes FF, the erased state of flash memory
                              compressible,   ///< each sector is half pattern, half zeros
                              repeated        ///< one block of 4 KiB of the pattern, repeated
)
struct Payload {
    PayloadKind kind{PayloadKind::incompressible};
    std::uint64_t seed{1};
    std::vector<std::uint8_t> given; ///< only for `given`; 1 … 1 MiB
    bool operator==(const Payload&) const = default;
};

/// Reaction to a failed transfer of a medium that still answers at other places.
BOOST_DEFINE_FIXED_ENUM_CLASS(OnIoError, std::uint8_t,
                              stop,   ///< the first failure ends the job
                              go_on,  ///< the job continues, however long the failures take
                              bounded ///< the job continues until all failures have taken `longest_failing`
)
inline constexpr std::chrono::nanoseconds longest_failing = std::chrono::minutes(5);

/// In a cell with fewer operations, one pause of the medium decides the figure.
inline constexpr std::uint64_t few_operations = 8;

/// Lower bounds of a cell that is too short on fast media and too few operations on slow ones.
struct CellMinimum {
    std::uint64_t operations{};
    std::chrono::nanoseconds time{};
    std::chrono::nanoseconds longest{}; ///< ends the cell also with fewer operations; more than `time`
    bool operator==(const CellMinimum&) const = default;
};

/// A cell gives one number of a table: one access pattern with one block size.
struct CellSpec {
    std::string id;    ///< unique in its job and stable over versions, e.g. "standard.seq_read.4096"
    std::string table; ///< "standard", "large", "extended", "sequential", "iops"
    Access access{};
    Bytes block;  ///< bytes per transfer; > 0 and a multiple of the logical sector for `direct`
    Bytes volume; ///< stop after this many bytes (a multiple of block)
    std::optional<std::chrono::nanoseconds> time_limit; ///< stop earlier after this time
    std::uint32_t queue_depth{1};                       ///< > 1 requires Engine::uring
    /// Volume and time limit do not end the cell before this minimum is reached. A medium that is faster than the
    /// volume in the least time moves more than the volume.
    std::optional<CellMinimum> minimum{};
    std::optional<PayloadKind> payload{}; ///< replaces the job's payload in a sweep
    bool operator==(const CellSpec&) const = default;
};

/// Ids of the two cells of a verify job and of the cell of a probe job.
inline constexpr const char *verify_write_id = "verify.write", *verify_read_id = "verify.read", *probe_id = "probe.run";

/// A cell that an earlier attempt at a job has finished or started.
struct PreviousCell {
    std::string id;
    std::optional<Bytes> up_to{}; ///< progress of the cell; unset: the cell is finished
    bool operator==(const PreviousCell&) const = default;
};
[[nodiscard]] bool holds(const std::vector<PreviousCell>& done, std::string_view finished);

/// Single requests with idle time between them, as in ioping.
struct Pace {
    std::chrono::nanoseconds interval{}; ///< from the start of one request to the next start; 0: no idle time
    std::uint32_t warm_up{};             ///< requests before the first counted one
    bool operator==(const Pace&) const = default;
};

/// A list of cells on one test file (or on the start of a raw device), in execution order.
struct SweepJob {
    std::vector<CellSpec> cells;
    /// Size of the test file: laid out and filled before the first cell, the same way on each format.
    Bytes span;
    Bytes random_span; ///< random accesses use this part of the file, from its start; 0: the whole file
    /// No layout: the first cell and each later sequential write start with an empty file, and other cells use the part
    /// that was written. The rate by position of such a write is that of an empty medium.
    bool no_layout{};
    /// Applies to all cells, which then have a queue depth of 1: between two requests the range of the next request is
    /// dropped from the cache, and a write ends with its sync.
    std::optional<Pace> pace;
    bool operator==(const SweepJob&) const = default;
};

/// A test of a mix: requests of one size over all files, with a fixed proportion of reads and writes.
struct MixCell {
    CellSpec cell;          ///< `access`: sequential or random; see run_mix for ids
    std::uint32_t reads{};  ///< number of reads in `reads + writes` requests
    std::uint32_t writes{}; ///< number of writes; evenly interleaved
    bool on_new_files{};    ///< runs before the files are filled, so that its writes create them
    bool operator==(const MixCell&) const = default;
};

/// Repeats the same cells until their results are steady (measure::RateSpread), up to a maximum.
struct Rounds {
    std::uint32_t window{5};
    std::uint32_t most{25};
    Bytes precondition; ///< written in order before the first round
    bool operator==(const Rounds&) const = default;
};

/// The way in which the requests of a mix access their file.
BOOST_DEFINE_FIXED_ENUM_CLASS(MixMode, std::uint8_t,
                              sync,  ///< one call per request, in sequence
                              async, ///< the kernel's asynchronous requests, `backlog` requests at once
                              mmap   ///< copies from and to a mapping of the file; its flush is msync
)

/// Mixes of reads and writes on files of one size (or on equal parts of a raw device).
struct MixJob {
    std::uint32_t files{1};
    Bytes file_size;
    std::vector<MixCell> cells;
    std::uint32_t sync_every{}; ///< all files are flushed after this number of requests, if there were writes; 0: never
    std::optional<Rounds> rounds;
    MixMode mode{};
    std::uint32_t backlog{128};  ///< for `async`
    bool syncs_each_write{};     ///< each write is followed by a flush of its file
    bool syncs_attributes{};     ///< a flush covers the file's attributes: fsync, otherwise fdatasync
    bool leaves_last_sync_out{}; ///< nothing is flushed after the last request
    bool operator==(const MixJob&) const = default;
};

/// Random sizes between two limits. Their density falls with the square of the size.
struct SizeLaw {
    Bytes smallest;
    Bytes largest;
    bool operator==(const SizeLaw&) const = default;
};
/// Naming rules for the files of a set.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    FileNames, std::uint8_t,
    pieces,       ///< piece_file
    number_first, ///< ten hexadecimal digits, then up to twelve random letters and digits, as in Bonnie++
    number_last   ///< the random letters and digits first, then the number
)
/// Files of a work folder, numbered from 0.
struct FileSet {
    std::uint32_t files{};
    std::vector<Bytes> sizes;           ///< file i has sizes[i % n]: a cycle contains every size once
    std::optional<SizeLaw> law;         ///< replaces `sizes`
    std::uint32_t first{};              ///< number in the name of file 0, for sets that share a folder
    std::vector<std::uint32_t> folders; ///< per level: folders in each parent; lowest folders have equal file counts
    FileNames names{};
    bool operator==(const FileSet&) const = default;
};

/// The action of one step on the files of its set.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    FileWork, std::uint8_t,
    write,   ///< creates each file and writes it in transfers
    read,    ///< reads each file in transfers
    rewrite, ///< reads each transfer, changes it and writes it back
    seek,    ///< reads a transfer at a random offset, and writes one transfer in ten back
    create,  ///< creates each file with its size, which may be 0
    stat,    ///< reads the attributes of each file
    replace, ///< for a random part of the files: writes a new file next to the old file and renames it over the old
             ///< file
    walk,    ///< lists all folders and reads the attributes of each entry
    remove,
    copy,   ///< creates each file as a copy of a file of the set `from`; copies are spread over the sources in order
    rename, ///< for a random part of the files: renames a file to another name and back
    pieces  ///< reads the number of pieces of each file on the medium; each piece is an operation
)
/// The order of the files of a step.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    FileOrder, std::uint8_t, by_number,
    random_in_cycle, ///< a separate order of the sizes in each cycle
    random,
    as_listed ///< in the order of the folder listing, which is read during the step; for `stat` and `remove`
)
/// The flush within the time of a step that writes.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    FileFlush, std::uint8_t,
    data,       ///< for write and rewrite: the data of each finished file; for other work: the file system, at the end
    attributes, ///< as `data`, and the attributes of each such file
    nothing     ///< for work that creates or removes names
)
struct FileStep {
    /// `block`: the size of a transfer, or any value for a step without transfers; `volume`: the total of the step.
    /// Steps with the same id give a single cell, with a sample per step.
    CellSpec cell;
    FileWork work{};
    std::uint32_t set{}; ///< index into FilesJob::sets
    FileOrder order{};
    double part{1};           ///< part of the files, for `replace` and `rename`; a seek step makes volume / block seeks
    bool by_size{};           ///< one cell per size of the set, with the size as its block and a sample per file
    std::uint32_t from{};     ///< index into FilesJob::sets, for `copy`
    std::uint32_t seekers{1}; ///< number of parallel seekers, each with separately opened files
    FileFlush flush{};
    bool operator==(const FileStep&) const = default;
};

/// Steps on sets of files and folders, all through the page cache.
struct FilesJob {
    std::vector<FileSet> sets;
    std::vector<FileStep> steps;
    bool operator==(const FilesJob&) const = default;
};

/// Parallel threads that write, change, comment and read blogs, as in Blogbench; counts and sizes are Blogbench's.
struct BlogJob {
    std::uint32_t writers{3}, rewriters{1}, commenters{5}, readers{100};
    std::uint32_t intervals{30};
    std::chrono::nanoseconds interval{std::chrono::seconds(10)};
    Bytes space; ///< no blog or comment is started after this number of written bytes
    bool operator==(const BlogJob&) const = default;
};

/// A loss of power of the medium between the two passes of a verify job. Data in a volatile cache do not survive it.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    PowerCycle, std::uint8_t,
    none, ///< both passes in one power cycle
    due,  ///< the job ends after a writing pass without faults; its outcome has no verdict
    done  ///< the job reads the data of an earlier job with `due`, and does not write them again
)

/// Writes the whole span, reads it back and checks every byte.
struct VerifyJob {
    Bytes span; ///< 0 = the whole device if raw, from `from` on; on a file system all free space minus a reserve
    Bytes chunk{1024 * 1024};
    std::uint32_t generation{1}; ///< part of the pattern: an older generation on reading means a dropped write
    /// Start of the test in seconds since 1970, for the labels of the data (DataLabel). 0: no labels.
    std::uint64_t written_at{};
    PowerCycle power_cycle{};
    bool operator==(const VerifyJob&) const = default;
};

/// Finds the end of the real memory of a bare device with few writes. Destroys its contents unless `keeps_data`.
struct ProbeJob {
    /// Assumed maximum size of the medium's cache: this number of other bytes is written before data counts as kept.
    /// Fakes with a cache of 600 MiB exist. At most half of the medium is written for it; the outcome contains the
    /// actual number.
    Bytes assumed_cache{std::uint64_t{1} << 30};
    /// A medium that cannot write that number of bytes in this time gets a shorter run, but at least `least_run`. 0: no
    /// time limit.
    std::chrono::nanoseconds run_time{0};
    static constexpr Bytes least_run{std::uint64_t{32} << 20};
    std::uint32_t generation{1}; ///< as in VerifyJob; the rounds of a probe use this and the following generations
    /// Saves each place on the host before it is written, and restores all of them at the end.
    bool keeps_data{};
    /// With `keeps_data` and not 0: then also writes the other content of the medium to it again, for at most this
    /// time, so that no cache smaller than the medium can hide missing memory.
    std::chrono::nanoseconds widen_time{0};
    bool operator==(const ProbeJob&) const = default;
};

/// The kind of a job with its parameters.
using JobKind = std::variant<SweepJob, VerifyJob, ProbeJob, MixJob, FilesJob, BlogJob>;

struct JobSpec {
    std::string suite; ///< "quickbench", "disktester", "verify", "capacity", …
    std::uint32_t suite_version{1};
    bool quick{}; ///< the suite's protocol with far less data and time: not comparable with published figures
    JobKind kind;
    Engine engine{Engine::psync};
    CachePolicy cache{CachePolicy::direct};
    SyncLevel sync{SyncLevel::at_end};
    Payload payload;
    OnIoError on_io_error{OnIoError::bounded};
    bool keep_raw_log{false};    ///< a 32-bit latency per operation, in nanoseconds, saturating
    std::uint64_t order_seed{1}; ///< start value of the random offsets
    /// For a verify or sweep job on a raw device: start of the space that it uses; whole MiB.
    Bytes from{};
    /// Bytes per second; 0: no limit. For a verify or sweep job with psync. The job waits between its transfers,
    /// outside of their measured time.
    Bytes rate_limit{};
    bool operator==(const JobSpec&) const = default;

    /// Returns null if the job is of another kind.
    template <class Kind>
    [[nodiscard]] const Kind* as() const {
        return std::get_if<Kind>(&kind);
    }
    template <class Kind>
    [[nodiscard]] Kind* as() {
        return std::get_if<Kind>(&kind);
    }
};

/// Maximum number of bytes that a job writes and reads, including the layout of the test file. For dry runs and time
/// estimates.
struct Traffic {
    Bytes written;
    Bytes read;
};
[[nodiscard]] Traffic traffic_of(const JobSpec& job, Bytes medium_size);

/// Returns true if a job in a directory uses all or almost all of the `free` space there.
[[nodiscard]] bool fills(const JobSpec& job, Bytes free);

/// Number of parts in progress reports.
[[nodiscard]] std::uint32_t parts_of(const JobSpec& job);
/// Returns true if the purpose of the job is to measure rates.
[[nodiscard]] bool measures_rates(const JobSpec& job);
/// Returns true if the job creates many files, which requires a file system and uses the page cache.
[[nodiscard]] bool makes_files(const JobSpec& job);
/// Size of the job's test file or files; 0 if the size depends on the medium or the run.
[[nodiscard]] Bytes test_size_of(const JobSpec& job);

/// Activity on the same uplink that disturbs a job.
enum class Disturbance : std::uint8_t {
    by_anything,      ///< single requests are measured: any activity disturbs
    by_lack_of_bytes, ///< long sequential transfers are measured: a lack of uplink bandwidth disturbs
    by_nothing,       ///< no rate is measured
};
/// A transfer of this size or more takes much longer than the overhead of its request.
inline constexpr Bytes long_transfer{64 * 1024};
[[nodiscard]] Disturbance disturbance_of(const JobSpec& job);

/// Returns true if an interrupted job starts again: it takes seconds, or its own writes are part of the measurement.
[[nodiscard]] bool made_as_a_whole(const JobSpec& job);
/// Sets the generation of the data that a job writes and reads back, so that it does not accept data of an older run.
void set_generation(JobSpec& job, std::uint32_t generation);
/// Sets the date in the labels of the data that a verify job writes; other jobs have no labels. `seconds`: since 1970.
void set_date(JobSpec& job, std::uint64_t seconds);

} // namespace mediarig::workload
