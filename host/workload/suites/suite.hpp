// SPDX-License-Identifier: GPL-3.0-or-later
/// The published protocols as data: their work, the names of their numbers, and the form of their tables. Each suite's
/// data is in a separate file. Pure.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::suites {

using mediarig::name_of;

using workload::Access;

/// The user's options for a suite. Unset members have the suite's published value.
struct SuiteRequest {
    std::string name;                ///< one of suite_names()
    bool quick{false};               ///< same protocol, smallest useful volume
    std::vector<std::string> tables; ///< tables of the suite; empty: the default tables
    std::vector<Access> accesses;    ///< empty: all accesses
    std::vector<Bytes> blocks;       ///< empty: the block sizes of the suite
    std::optional<Bytes> span;
    std::optional<Bytes> volume;                        ///< per cell
    std::optional<std::chrono::nanoseconds> time_limit; ///< per cell
    std::optional<workload::Engine> engine;
    std::optional<workload::CachePolicy> cache;
    std::optional<workload::SyncLevel> sync;
    std::optional<std::uint32_t> queue_depth;
    std::optional<workload::Payload> payload;
    std::optional<workload::OnIoError> on_io_error;
    std::optional<Bytes> from;          ///< start on a bare device, in whole MiB; for verify and sweeps
    std::optional<Bytes> rate_limit;    ///< bytes per second; for verify and sweeps
    std::optional<Bytes> assumed_cache; ///< the largest volatile cache that the medium may have
    std::vector<std::string> options;   ///< with the names of the original program: "file-io-mode=mmap"
    bool keep_raw_log{false};
    std::uint64_t order_seed{1};
    bool operator==(const SuiteRequest&) const = default;
};

/// One number of a cell, or of a column of cells.
BOOST_DEFINE_FIXED_ENUM_CLASS(Value, std::uint8_t, mb_per_s, iops, ops_per_s, seconds, operations, mean_us, p50_us,
                              p90_us, p99_us, p99_9_us, max_us,
                              average_mb_per_s,      ///< for a column: arithmetic mean of its rows
                              time_weighted_mb_per_s ///< for a column: harmonic mean of its rows
)
/// Returns true if the value is a maximum: over several passes the largest is used instead of the mean.
[[nodiscard]] constexpr bool is_extreme(Value value) {
    return value == Value::max_us;
}
/// Identifies a number within a suite.
struct Metric {
    std::string_view table;
    Access access{};
    std::optional<Bytes> block; ///< unset: for a column, or a table with one block size
    Value value{};
    bool operator==(const Metric&) const = default;
};

/// The layout of a table.
enum class Shape : std::uint8_t {
    block_sizes,    ///< a row per block size, a column per access; curves over the block size
    transfer_sizes, ///< a row per device and format, Write and Read per transfer size
    operations,     ///< a row per device and format: seconds, MB/s, operations per second
    capacity,       ///< a row per device and format: claimed, written, good, real capacity
    named_views,    ///< only the suite's own view
};
/// Parts of the names of a table's metrics; docs/guide/plan.md.
enum class MetricNaming : std::uint8_t {
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
/// The amount of data for one number.
struct TransferLimits {
    Bytes volume;
    std::optional<std::chrono::nanoseconds> time_limit;
};

struct SuiteTable {
    std::string_view name; ///< CellSpec::table of its cells
    Shape shape{};
    MetricNaming names{};
    bool by_default{true};
    // Members for a sweep.
    Sizes sizes{};
    std::span<const Access> accesses{}; ///< in execution order for each size
    TransferLimits full{};
    TransferLimits quick{}; ///< expand() adds a CellMinimum
    std::uint32_t queue_depth{1};
    // The original program's names for the mean and the harmonic mean of a column; empty if the program does not print
    // that mean.
    std::string_view average{};
    std::string_view time_weighted{};
    std::string_view note{};      ///< explains these means
    bool rows_are_details{false}; ///< true if the rows are summarised by an average
    /// Not 0: a cell consists of rounds, and its rates are the means of its last `window` samples. 0: a single
    /// measurement.
    std::uint32_t window{0};
    bool shows_latencies{false}; ///< prints latencies of the smallest block: a large block would hide a slow operation
};

/// A number for the comparison of formats and devices.
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

/// Returns the number of the pass, or the mean over several passes; nothing if it was not measured.
using MetricLookup = std::function<std::optional<double>(const Metric&)>;
/// The results of one device with one format.
struct DeviceResults {
    MetricLookup value_of;
    /// The cells of each pass, in the order of completion: of one pass unless Suite::view_of_all_passes.
    std::vector<std::span<const workload::CellResult>> passes{};
    const workload::JobSpec* job{}; ///< the requested job; null: the suite's default
    /// True if a process serves the file system (FUSE): it buffers in this host and affects every number.
    bool served_by_process{false};
};
/// A table in the shape and units of the original program. Views of several passes are merged by the labels of rows and
/// by the titles of columns: a figure then shows its scatter.
struct View {
    struct Row {
        std::string label;
        std::vector<std::string> cells; ///< one per column
    };
    std::string title;
    std::vector<std::string> columns;
    std::vector<Row> rows;
    std::vector<std::string> notes; ///< one sentence each
};

/// MB/s of each whole second in which the cell moved data. Excludes the seconds of the final sync, the second in which
/// it started, and a shorter last one.
[[nodiscard]] std::vector<double> whole_seconds_of(const workload::CellResult& cell);

struct Suite {
    std::string_view name;
    std::string_view title; ///< name of the original program, or of the suite if it has no original
    std::uint32_t version{1};
    std::span<const SuiteTable> tables;
    std::span<const Headline> headlines{};
    std::span<const BarChart> charts{};
    Bytes full_span{}, quick_span{};     ///< size of the test file or files; 0 if the size depends on the medium
    std::string_view instead_on_files{}; ///< for a suite that needs a bare device: the suite for file systems
    bool takes_assumed_cache{false};
    std::span<const std::string_view> options{}; ///< options of the original program that the suite accepts
    /// Fails with bad_request.
    Result<workload::JobKind> (*kind_of)(const Suite& suite, const SuiteRequest& request, Bytes available){};
    std::string_view megabyte{}; ///< a sentence if the original program's MB differ from those of the tables
    // Settings of the original program, used if a request does not set them.
    workload::CachePolicy cache{workload::CachePolicy::direct};
    workload::SyncLevel sync{workload::SyncLevel::at_end};
    workload::PayloadKind payload{workload::PayloadKind::incompressible};
    /// Rates of shorter measurements are at most lower bounds, and the original program does not print them.
    std::chrono::nanoseconds least_trusted_time{};
    /// Returns a remark for the list of figures of a pass, e.g. "not settled", or an empty text. Null if the suite has
    /// no remarks.
    std::string_view (*caveat)(std::span<const workload::CellResult> pass){};
    /// Null if the suite has only tables. The result is empty if too little was measured.
    std::optional<View> (*view)(const DeviceResults& measured){};
    bool view_of_all_passes{false}; ///< the view judges all passes together
};

[[nodiscard]] std::span<const Suite* const> all_suites();
/// Returns null for an unknown name: a store may contain results of a newer suite.
[[nodiscard]] const Suite* find_suite(std::string_view name);
/// Returns the names of all suites, for help texts and error messages.
[[nodiscard]] std::vector<std::string_view> suite_names();
/// Tables with the same name are identical in all suites. Returns null for an unknown name.
[[nodiscard]] const SuiteTable* find_table(std::string_view name);
[[nodiscard]] Shape shape_of(std::string_view table);
/// Returns the block sizes of a table, ascending.
[[nodiscard]] std::vector<Bytes> blocks_of(const SuiteTable& table);

/// Expands a request. Fails with bad_request and names the unknown or impossible member. `available`: the free space or
/// the device's size. The span shrinks to half of that size, but never below the minimum of the protocol.
[[nodiscard]] Result<workload::JobSpec> expand(const SuiteRequest& request, Bytes available);

/// Returns true if cache, sync and payload are those of the suite's original.
[[nodiscard]] bool matches_publication(const Suite& suite, const workload::JobSpec& job);

/// Returns the reductions of the job, compared with the published protocol of its suite, that affect the figures, a
/// sentence each: less data and time (quick), a smaller test file. Returns an empty list for an unknown suite.
[[nodiscard]] std::vector<std::string> less_than_published(const workload::JobSpec& job);

} // namespace mediarig::suites
