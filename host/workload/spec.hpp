// SPDX-License-Identifier: GPL-3.0-or-later
/// What we do to a medium, as plain values: suites expand into jobs, jobs are lists of cells. Pure; crosses the wire as
/// JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
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
    none,    ///< whenever the kernel likes; the cell does not wait
    at_end,  ///< fdatasync after the last write, inside the timed window
    each_io, ///< O_DSYNC: each write returns when the device says it is stable
};

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

/// A list of cells over one test file (or over the head of a raw device), in the order in which they run.
struct SweepJob {
    std::vector<CellSpec> cells;
    Bytes span; ///< size of the test file: laid out and filled before the first cell, the same way on each format
    bool operator==(const SweepJob&) const = default;
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
    std::uint32_t generation{1}; ///< as in VerifyJob; the rounds of a probe take this one and those after it
    bool operator==(const ProbeJob&) const = default;
};

/// What a job does, with what this kind of job needs to know.
using JobKind = std::variant<SweepJob, VerifyJob, ProbeJob>;

struct JobSpec {
    std::string suite; ///< "quickbench", "disktester", "verify", "capacity", …
    std::uint32_t suite_version{1};
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

} // namespace mediarig::workload
