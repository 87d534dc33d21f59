// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using std::chrono::seconds;

/// dd if=/dev/zero of=file bs=2048k count=1024, then a read of the file to /dev/null. dd-direct overwrites a file that
/// was laid out: dd conv=notrunc,fdatasync oflag=direct.
constexpr SuiteTable table_of(std::string_view name) {
    return {.name = name,
            .shape = Shape::named_views,
            .names = MetricNaming::table,
            .sizes = {2_MiB, 2_MiB, {}},
            .accesses = sequential_accesses,
            .full = {2_GiB, {}},
            .quick = {64_MiB, seconds(3)}};
}
constexpr std::array published{table_of("dd")};
constexpr std::array corrected{table_of("dd_direct")};

constexpr Metric metric_of(std::string_view table, Access access, Value value) {
    return {.table = table, .access = access, .block = {}, .value = value};
}
constexpr std::array<Headline, 2> headlines_of(std::string_view table) {
    return {Headline{metric_of(table, Access::sequential_write, Value::mb_per_s), "write, MB/s", 1},
            Headline{metric_of(table, Access::sequential_read, Value::mb_per_s), "read, MB/s", 1}};
}
constexpr std::array published_headlines = headlines_of("dd");
constexpr std::array corrected_headlines = headlines_of("dd_direct");

Result<workload::JobKind> truncating(const Suite& suite, const SuiteRequest& request, Bytes available) {
    auto kind = sweep_of(suite, request, available);
    if (!kind) return kind;
    auto& sweep = std::get<workload::SweepJob>(*kind);
    sweep.no_layout = sweep.cells.front().access == Access::sequential_write;
    return kind;
}

std::optional<View> view_of(const MetricLookup& value_of, std::string_view table, std::string note) {
    View view{.title = "dd", .columns = {"seconds", "MB/s", "MiB/s"}, .rows = {}, .notes = {std::move(note)}};
    for (const auto& [access, label] :
         {std::pair(Access::sequential_write, "write"), {Access::sequential_read, "read"}}) {
        const auto rate = value_of(metric_of(table, access, Value::mb_per_s));
        const auto time = value_of(metric_of(table, access, Value::seconds));
        if (!rate || !time) continue;
        view.rows.push_back({label,
                             {fmt::format("{:.2f}", *time), fmt::format("{:.1f}", *rate),
                              fmt::format("{:.1f}", Rate{*rate * 1e6}.mebibytes_per_second())}});
    }
    if (view.rows.empty()) return std::nullopt;
    return view;
}

} // namespace

extern const Suite dd, dd_direct;

namespace {

/// `note` describes the published settings; the settings of a job may differ.
std::string true_note(const Suite& suite, const DeviceResults& measured, std::string_view note) {
    if (measured.job == nullptr || matches_publication(suite, *measured.job)) return std::string(note);
    return "Cache, sync or payload differ from those of this suite: see the settings of each number.";
}

std::optional<View> published_view(const DeviceResults& measured) {
    return view_of(
        measured.value_of, "dd",
        true_note(dd, measured,
                  "As published: zeros to a new file, through the cache, without a sync, and read back from the "
                  "cache. It measures this computer; suite dd-direct measures the medium."));
}
std::optional<View> corrected_view(const DeviceResults& measured) {
    return view_of(
        measured.value_of, "dd_direct",
        true_note(dd_direct, measured,
                  "Corrected: data that cannot be compressed, over an allocated file (conv=notrunc), with direct I/O, "
                  "ended by a sync."));
}

} // namespace

constexpr Suite dd{.name = "dd",
                   .title = "dd",
                   .tables = published,
                   .headlines = published_headlines,
                   .full_span = 2_GiB,
                   .quick_span = 64_MiB,
                   .kind_of = truncating,
                   .cache = workload::CachePolicy::cached,
                   .sync = workload::SyncLevel::none,
                   .payload = workload::PayloadKind::zeros,
                   .view = published_view};
constexpr Suite dd_direct{.name = "dd-direct",
                          .title = "dd, direct I/O",
                          .tables = corrected,
                          .headlines = corrected_headlines,
                          .full_span = 2_GiB,
                          .quick_span = 64_MiB,
                          .kind_of = sweep_of,
                          .view = corrected_view};

} // namespace mediarig::suites
