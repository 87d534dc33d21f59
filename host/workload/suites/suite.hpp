// SPDX-License-Identifier: GPL-3.0-or-later
/// The published protocols as data: what runs, what its numbers are called, and how its users know its tables. All that
/// is said about a suite by name is said in its own file. Pure.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::suites {

using workload::Access;

/// What a user may say about a suite; everything unset takes the suite's published value.
struct SuiteRequest {
    std::string name;                ///< of suite_names()
    bool quick{false};               ///< same protocol, smallest volume that still makes sense
    std::vector<std::string> tables; ///< of the suite's; empty = those that it runs by default
    std::vector<Access> accesses;    ///< empty = all
    std::vector<Bytes> blocks;       ///< empty = the suite's
    std::optional<Bytes> span;
    std::optional<Bytes> volume;                        ///< per cell
    std::optional<std::chrono::nanoseconds> time_limit; ///< per cell
    std::optional<workload::Engine> engine;
    std::optional<workload::CachePolicy> cache;
    std::optional<workload::SyncLevel> sync;
    std::optional<std::uint32_t> queue_depth;
    std::optional<workload::Payload> payload;
    std::optional<workload::OnIoError> on_io_error;
    std::optional<Bytes> assumed_cache; ///< the largest volatile cache that the medium may have
    std::vector<std::string> options;   ///< of the original, as it calls them: "file-io-mode=mmap"
    bool keep_raw_log{false};
    std::uint64_t order_seed{1};
    bool operator==(const SuiteRequest&) const = default;
};

/// One number of a cell, or of a column of cells.
enum class Value : std::uint8_t {
    mb_per_s,
    iops,
    ops_per_s,
    seconds,
    operations,
    mean_us,
    p50_us,
    p90_us,
    p99_us,
    p99_9_us,
    max_us,
    average_mb_per_s,       ///< of a column: arithmetic mean of its rows
    time_weighted_mb_per_s, ///< of a column: harmonic mean of its rows
};
/// The largest of many: of several passes the largest counts, and not their mean.
[[nodiscard]] constexpr bool is_extreme(Value value) {
    return value == Value::max_us;
}
/// Which number, within a suite.
struct Metric {
    std::string_view table;
    Access access{};
    std::optional<Bytes> block; ///< unset: of a column, or of a table with one block size
    Value value{};
    bool operator==(const Metric&) const = default;
};

/// How people read a table.
enum class Shape : std::uint8_t {
    block_sizes,    ///< a row for each block size, a column for each access; curves over the block size
    transfer_sizes, ///< a row for each device and format, Write and Read for each transfer size
    operations,     ///< a row for each device and format: seconds, MB/s, operations a second
    capacity,       ///< a row for each device and format: claimed, written, good, really holds
    own_view,       ///< nothing but what the suite's view makes of it
};
/// What the names of its metrics hold; docs/guide/plan.md.
enum class Names : std::uint8_t {
    block,           ///< "seq_read.4KB.": no other table of its suite has cells of the same size
    table_and_block, ///< "large.seq_read.2048KB."
    table,           ///< "iops.random_read.": one block size
    direction,       ///< "verify.read."
};

/// Block sizes first, first + step, … or first, 2 * first, … up to last.
struct Sizes {
    Bytes first;
    Bytes last;
    Bytes step; ///< 0 = doubling
};
/// How much is moved for one number.
struct Extent {
    Bytes volume;
    std::optional<std::chrono::nanoseconds> time_limit;
};

struct Table {
    std::string_view name; ///< CellSpec::table of its cells
    Shape shape{};
    Names names{};
    bool by_default{true};
    // Of a sweep.
    Sizes sizes{};
    std::span<const Access> accesses{}; ///< in the order in which they run at each size
    Extent full{};
    Extent quick{};
    std::uint32_t queue_depth{1};
    // What its users call the mean of a column, and its harmonic mean; empty: there is none.
    std::string_view average{};
    std::string_view time_weighted{};
    std::string_view note{};      ///< says what these are
    bool rows_are_details{false}; ///< where there is an average
    /// Not 0: a cell is made of rounds, and its rates are means of those of its last so many samples.
    std::uint32_t window{0};
    bool shows_latencies{false}; ///< of its smallest block: there a slow operation is not hidden by its own size
};

/// A number by which formats and devices are compared.
struct Headline {
    Metric metric;
    std::string_view title;
    int decimals{};
};
struct Bar {
    Metric metric;
    std::string_view title;
};
struct BarChart {
    std::string_view id;
    std::string_view title;
    std::string_view unit;
    std::span<const Bar> bars;
};

/// The mean over the passes of one device and format; nothing where it was not measured.
using ValueOf = std::function<std::optional<double>(const Metric&)>;
/// What one device under one format gave.
struct Measured {
    ValueOf value_of;
    /// The cells of each pass, in the order in which they were finished.
    std::vector<std::span<const workload::CellResult>> passes{};
    const workload::JobSpec* job{}; ///< what was asked for; null: as the suite has it
    /// The file system is a process (FUSE): it buffers in this host, and is a part of every number.
    bool served_by_process{false};
};
/// What users of the original look at, in its shape and units.
struct View {
    struct Row {
        std::string label;
        std::vector<std::string> cells; ///< as many as there are columns
    };
    std::string title;
    std::vector<std::string> columns;
    std::vector<Row> rows;
    std::vector<std::string> notes; ///< a sentence each
};

/// MB/s of each whole second in which the cell moved data. Neither the final sync's seconds are of these, nor the one
/// in which it began, nor a shorter last one.
[[nodiscard]] std::vector<double> whole_seconds_of(const workload::CellResult& cell);

struct Suite {
    std::string_view name;
    std::string_view title; ///< as its original is called; the name where there is none
    std::uint32_t version{1};
    std::span<const Table> tables;
    std::span<const Headline> headlines{};
    std::span<const BarChart> charts{};
    Bytes full_span{}, quick_span{};     ///< of its test file or files; 0 where the medium says it
    std::string_view instead_on_files{}; ///< works on the bare device only; which suite does not
    bool takes_assumed_cache{false};
    std::span<const std::string_view> options{}; ///< names of the original's options that it takes
    /// Fails with bad_request.
    Result<workload::JobKind> (*kind_of)(const Suite& suite, const SuiteRequest& request, Bytes available){};
    std::string_view megabyte{}; ///< a sentence, where the original's MB are others than the tables'
    // How the original works where a request does not say otherwise.
    workload::CachePolicy cache{workload::CachePolicy::direct};
    workload::SyncLevel sync{workload::SyncLevel::at_end};
    workload::PayloadKind payload{workload::PayloadKind::incompressible};
    /// Rates of what took less are lower bounds at most, and its original does not print them.
    std::chrono::nanoseconds least_trusted_time{};
    /// A word beside the pass's figures in a list, "not settled"; empty: they need none. Null: never one.
    std::string_view (*caveat)(std::span<const workload::CellResult> pass){};
    /// Null where the tables are all there is. Nothing where too little was measured.
    std::optional<View> (*view)(const Measured& measured){};
};

[[nodiscard]] std::span<const Suite* const> all_suites();
/// Null for a name that no suite has: a store may hold results of one that came later.
[[nodiscard]] const Suite* find_suite(std::string_view name);
/// The names, for help texts and error messages.
[[nodiscard]] std::vector<std::string_view> suite_names();
/// Tables of one name are alike in all suites. Null as above.
[[nodiscard]] const Table* find_table(std::string_view name);
[[nodiscard]] Shape shape_of(std::string_view table);
/// The block sizes of a table, ascending.
[[nodiscard]] std::vector<Bytes> blocks_of(const Table& table);

/// Expands a request; fails with bad_request naming what is unknown or impossible. `available` is the free space or the
/// device's size: the span shrinks to fit into half of it and never below what the protocol needs.
[[nodiscard]] Result<workload::JobSpec> expand(const SuiteRequest& request, Bytes available);

/// Whether cache, sync and payload are those with which the suite's original works.
[[nodiscard]] bool works_as_published(const Suite& suite, const workload::JobSpec& job);

/// What sets the job's figures apart from those that the protocol gives, a sentence each: quick, a smaller test file.
/// None for a suite that is not known.
[[nodiscard]] std::vector<std::string> less_than_published(const workload::JobSpec& job);

} // namespace mediarig::suites
