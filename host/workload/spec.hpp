// SPDX-License-Identifier: GPL-3.0-or-later
/// What we do to a medium, as plain values: suites expand into jobs, jobs are lists of cells. Pure; crosses the wire as
/// JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/units.hpp"

namespace mediarig::workload {

enum class Access : std::uint8_t { sequential_read, sequential_write, random_read, random_write };
[[nodiscard]] constexpr bool writes(Access a) {
    return a == Access::sequential_write || a == Access::random_write;
}
[[nodiscard]] constexpr bool random(Access a) {
    return a == Access::random_read || a == Access::random_write;
}

enum class Engine : std::uint8_t { psync, uring };

/// How the host's page cache is kept out of the number. What was asked for; CellResult says what was done.
enum class CachePolicy : std::uint8_t {
    direct,  ///< O_DIRECT; where the file system refuses it, `dropped` is used and a finding says so
    dropped, ///< through the page cache, which is written back and dropped before each reading cell
    cached,  ///< the page cache is part of what is measured
};

/// When data must be on the medium.
enum class SyncLevel : std::uint8_t {
    none,               ///< whenever the kernel likes; the cell does not wait
    at_end,             ///< fdatasync after the last write, inside the timed window
    each_io,            ///< O_DSYNC: each write returns when the device says it is stable
    each_io_attributes, ///< O_SYNC: and the file's attributes as well
};
/// Whether each write returns only when the device says that it is stable.
[[nodiscard]] constexpr bool syncs_each_io(SyncLevel sync) {
    return sync == SyncLevel::each_io || sync == SyncLevel::each_io_attributes;
}

enum class PayloadKind : std::uint8_t {
    incompressible, ///< AES-based pattern, unique per position, start value and generation
    given,          ///< `given` repeated, with each 512-byte sector stamped with its position
    zeros,          ///< for comparison with tools that write zeros; never a default
};
struct Payload {
    PayloadKind kind{PayloadKind::incompressible};
    std::uint64_t seed{1};
    std::vector<std::uint8_t> given; ///< only for `given`; 1 … 1 MiB
    bool operator==(const Payload&) const = default;
};

enum class OnIoError : std::uint8_t { stop, go_on };

/// One number of a table: one access pattern at one block size.
struct CellSpec {
    std::string id;    ///< unique in its job and stable over versions, e.g. "standard.seq_read.4096"
    std::string table; ///< "standard", "large", "extended", "sequential", "iops"
    Access access{};
    Bytes block;  ///< bytes a transfer; > 0 and a multiple of the logical sector for `direct`
    Bytes volume; ///< stop after this many bytes (a multiple of block)
    std::optional<std::chrono::nanoseconds> time_limit; ///< stop earlier when this much time has passed
    std::uint32_t queue_depth{1};                       ///< > 1 needs Engine::uring
    bool operator==(const CellSpec&) const = default;
};

/// Of the two cells of a verify job, and of the one of a probe.
inline constexpr const char *verify_write_id = "verify.write", *verify_read_id = "verify.read", *probe_id = "probe.run";

/// A cell that an earlier attempt at a job has finished, or has begun.
struct DoneCell {
    std::string id;
    std::optional<Bytes> up_to{}; ///< so far it came; unset: it is finished
    bool operator==(const DoneCell&) const = default;
};
[[nodiscard]] bool holds(const std::vector<DoneCell>& done, std::string_view finished);

/// Requests one at a time with idle time between them, as ioping makes them.
struct Pace {
    std::chrono::nanoseconds interval{}; ///< from the start of a request to that of the next; 0: at once
    std::uint32_t warm_up{};             ///< requests before the first that counts
    bool operator==(const Pace&) const = default;
};

/// A list of cells over one test file (or over the head of a raw device), in the order in which they run.
struct SweepJob {
    std::vector<CellSpec> cells;
    Bytes span; ///< size of the test file: laid out and filled before the first cell, the same way on each format
    Bytes random_span; ///< of which random accesses use so much, from its begin; 0: all of it
    /// The first cell writes the whole span in order, and nothing is laid out before it: its rate over the position is
    /// that of an empty medium.
    bool first_cell_fills{};
    /// Of all cells, which then have a queue depth of 1: between two requests the cache forgets the next one's place,
    /// and a write ends with its sync.
    std::optional<Pace> pace;
    bool operator==(const SweepJob&) const = default;
};

/// A test of a mix: requests of one size all over the files, reads and writes in a fixed proportion.
struct MixCell {
    CellSpec cell;          ///< `access`: in order or random; see run_mix for ids
    std::uint32_t reads{};  ///< of `reads + writes` requests, so many read
    std::uint32_t writes{}; ///< and so many write; evenly interleaved
    bool on_new_files{};    ///< before the files are filled, so that writing them makes them
    bool operator==(const MixCell&) const = default;
};

/// Rounds of the same cells until what they measure has settled (steady.hpp), at most so many.
struct Rounds {
    std::uint32_t window{5};
    std::uint32_t most{25};
    Bytes precondition; ///< written in order before the first round
    bool operator==(const Rounds&) const = default;
};

/// How the requests of a mix reach their file.
enum class MixMode : std::uint8_t {
    sync,  ///< a call each, one after the other
    async, ///< the kernel's asynchronous requests, `backlog` of them at once
    mmap,  ///< copied from and to a mapping of the file; its flush is msync
};

/// Mixes of reads and writes over files of one size (or over as many parts of a raw device).
struct MixJob {
    std::uint32_t files{1};
    Bytes file_size;
    std::vector<MixCell> cells;
    std::uint32_t sync_every{}; ///< all files are flushed after so many requests, where something was written; 0: never
    std::optional<Rounds> rounds;
    MixMode mode{};
    std::uint32_t backlog{128};  ///< of `async`
    bool syncs_each_write{};     ///< each write is followed by a flush of its file
    bool syncs_attributes{};     ///< a flush covers the file's attributes: fsync, otherwise fdatasync
    bool leaves_last_sync_out{}; ///< nothing is flushed after the last request
    bool operator==(const MixJob&) const = default;
};

/// Sizes from one to another whose density falls with their square.
struct SizeLaw {
    Bytes smallest;
    Bytes largest;
    bool operator==(const SizeLaw&) const = default;
};
/// How files of a set are called.
enum class FileNames : std::uint8_t {
    pieces,       ///< WorkFolder::piece_file
    number_first, ///< ten hexadecimal digits, then up to twelve random letters and digits, as Bonnie++ has it
    number_last,  ///< the other way round
};
/// Files of a work folder, numbered from 0.
struct FileSet {
    std::uint32_t files{};
    std::vector<Bytes> sizes;           ///< file i has sizes[i % n]: all sizes of one cycle before those of the next
    std::optional<SizeLaw> law;         ///< instead of `sizes`
    std::uint32_t first{};              ///< number in the name of file 0, for sets that share a folder
    std::vector<std::uint32_t> folders; ///< how many in each of the level above; the last hold equal numbers of files
    FileNames names{};
    bool operator==(const FileSet&) const = default;
};

/// What one step does with the files of its set.
enum class FileWork : std::uint8_t {
    write,   ///< makes each file and writes it in transfers
    read,    ///< reads each file in transfers
    rewrite, ///< reads each transfer, changes it and writes it back
    seek,    ///< reads a transfer at a random place, and writes each tenth one back
    create,  ///< makes each file of its size, 0 included
    stat,    ///< asks for the attributes of each file
    replace, ///< writes another file beside each of a random part and renames it over that one
    walk,    ///< lists all folders and asks for the attributes of each entry
    remove,
    copy,   ///< makes each file as a copy of one of the set `from`, whose files are spread over it in their order
    rename, ///< gives each of a random part another name, and then its own again
    pieces, ///< asks in how many pieces each file lies on the medium; each piece is an operation
};
/// How a step's files follow one another.
enum class FileOrder : std::uint8_t {
    by_number,
    random_in_cycle, ///< the sizes of each cycle in an order of its own
    random,
    as_listed, ///< as their folder lists them, which is read meanwhile; for `stat` and `remove`
};
/// What is written back, within the time of a step that writes.
enum class FileFlush : std::uint8_t {
    data, ///< of a written or rewritten file its data, as it is done; of all other work the file system, at the end
    attributes, ///< of such a file its attributes, too
    nothing,    ///< of work that makes or removes names
};
struct FileStep {
    /// `block`: a transfer, or anything where there is none; `volume`: what the step will move. Steps of one id are
    /// summed up as one cell, with a sample for each.
    CellSpec cell;
    FileWork work{};
    std::uint32_t set{}; ///< index into FilesJob::sets
    FileOrder order{};
    double part{1};           ///< of the files, for `replace` and `rename`; a seek step makes volume / block seeks
    bool by_size{};           ///< a cell for each size of the set, whose block it is, with a sample for each file
    std::uint32_t from{};     ///< index into FilesJob::sets, for `copy`
    std::uint32_t seekers{1}; ///< so many seek at once, each with the files opened for itself
    FileFlush flush{};
    bool operator==(const FileStep&) const = default;
};

/// Steps over sets of files and folders, all through the page cache.
struct FilesJob {
    std::vector<FileSet> sets;
    std::vector<FileStep> steps;
    bool operator==(const FilesJob&) const = default;
};

/// People who write, change, comment and read blogs at once, as in Blogbench, whose counts and sizes these are.
struct BlogJob {
    std::uint32_t writers{3}, rewriters{1}, commenters{5}, readers{100};
    std::uint32_t intervals{30};
    std::chrono::nanoseconds interval{std::chrono::seconds(10)};
    Bytes room; ///< no blog or comment is begun when so much is written
    bool operator==(const BlogJob&) const = default;
};

/// Write everything, read everything back, check every byte.
struct VerifyJob {
    Bytes span; ///< 0 = the whole device when raw; on a file system all free space less a reserve
    Bytes chunk{1024 * 1024};
    std::uint32_t generation{1}; ///< is part of the pattern: an older generation read back is a dropped write
    bool operator==(const VerifyJob&) const = default;
};

/// Find out by few writes where the real memory of a bare device ends. Destroys what is on it.
struct ProbeJob {
    /// The medium may have a volatile cache up to this size; so much else is written before anything counts as kept.
    /// At most a quarter of the medium is written for it, and the outcome says how much that was.
    Bytes assumed_cache{std::uint64_t{256} << 20};
    /// A medium that cannot write so much in this time gets what it can, but no less than `least_run`. 0: it takes as
    /// long as it takes.
    std::chrono::nanoseconds run_time{0};
    static constexpr Bytes least_run{std::uint64_t{32} << 20};
    std::uint32_t generation{1}; ///< as in VerifyJob; the rounds of a probe take this one and those after it
    bool operator==(const ProbeJob&) const = default;
};

/// What a job does, with what this kind of job needs to know.
using JobKind = std::variant<SweepJob, VerifyJob, ProbeJob, MixJob, FilesJob, BlogJob>;

struct JobSpec {
    std::string suite; ///< "quickbench", "disktester", "verify", "capacity", …
    std::uint32_t suite_version{1};
    bool quick{}; ///< of the suite's protocol, but with far less data and time: no figure to set beside published ones
    JobKind kind;
    Engine engine{Engine::psync};
    CachePolicy cache{CachePolicy::direct};
    SyncLevel sync{SyncLevel::at_end};
    Payload payload;
    OnIoError on_io_error{OnIoError::go_on};
    bool keep_raw_log{false};    ///< a 32-bit latency per operation, in nanoseconds, saturating
    std::uint64_t order_seed{1}; ///< start value of the random offsets
    bool operator==(const JobSpec&) const = default;

    /// Null where the job is of another kind.
    template <class Kind>
    [[nodiscard]] const Kind* as() const {
        return std::get_if<Kind>(&kind);
    }
    template <class Kind>
    [[nodiscard]] Kind* as() {
        return std::get_if<Kind>(&kind);
    }
};

/// Bytes a job will write and read at most, including laying out the test file. For dry runs and time estimates.
struct Traffic {
    Bytes written;
    Bytes read;
};
[[nodiscard]] Traffic traffic_of(const JobSpec& job, Bytes medium_size);

/// Whether a job in a directory leaves nothing, or hardly anything, of the `free` space there.
[[nodiscard]] bool fills(const JobSpec& job, Bytes free);

/// How many parts progress is told of.
[[nodiscard]] std::uint32_t parts_of(const JobSpec& job);
/// Whether rates are what the job is made for.
[[nodiscard]] bool measures_rates(const JobSpec& job);
/// Whether it makes many files, which needs a file system and goes through the page cache.
[[nodiscard]] bool makes_files(const JobSpec& job);
/// Size of its test file or files; 0 where the medium or the run says it.
[[nodiscard]] Bytes test_size_of(const JobSpec& job);

/// What else on the same uplink disturbs a job.
enum class Disturbance : std::uint8_t {
    by_anything,      ///< single requests are what counts: nothing else at all
    by_lack_of_bytes, ///< long transfers in order are: others, as long as the uplink carries all of them
    by_nothing,       ///< no rate is
};
/// A transfer of this size or more takes much longer than what a request costs beside it.
inline constexpr Bytes long_transfer{64 * 1024};
[[nodiscard]] Disturbance disturbance_of(const JobSpec& job);

/// Whether an interrupted job begins anew: it takes seconds, or what it wrote is part of what it measures.
[[nodiscard]] bool made_as_a_whole(const JobSpec& job);
/// What a job writes and reads back is of this generation, so that it takes nothing of an older run for its own.
void set_generation(JobSpec& job, std::uint32_t generation);

} // namespace mediarig::workload
