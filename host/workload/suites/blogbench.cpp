// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "host/base/text.hpp"
#include "host/workload/suites/sweep_suite.hpp"

namespace mediarig::suites {
namespace {

using workload::BlogJob, workload::CellResult;

constexpr SuiteTable table_of(std::string_view name) {
    return {.name = name, .shape = Shape::named_views, .names = MetricNaming::table, .accesses = random_accesses};
}
constexpr std::array tables{table_of("blogs"), table_of("articles"), table_of("pictures"), table_of("comments")};
constexpr Metric blogs_of(Access access) {
    return {.table = "blogs", .access = access, .block = {}, .value = Value::operations};
}
constexpr std::array headlines{
    Headline{blogs_of(Access::random_write), "score for writes", 0},
    Headline{blogs_of(Access::random_read), "score for reads", 0},
};

constexpr Bytes smallest_space = 256_MiB; // some dozens of blogs
constexpr Bytes largest_space = 64_GiB;

Result<workload::JobKind> people_of(const Suite& suite, const SuiteRequest& request, Bytes available) {
    if (auto sane = check_options_used(suite, request, {Option::span, Option::time_limit}); !sane)
        return fail(sane.error());
    if (request.cache.value_or(workload::CachePolicy::cached) != workload::CachePolicy::cached ||
        request.sync.value_or(workload::SyncLevel::none) != workload::SyncLevel::none)
        return fail(
            Errc::bad_request,
            "suite blogbench works through the page cache without a sync; omit the cache policy and the sync level");
    BlogJob blog;
    blog.space = request.span.value_or(std::min(largest_space, Bytes{available.count / 4 * 3}));
    const Bytes least = request.quick ? 16_MiB : smallest_space;
    if (blog.space > available || blog.space < least)
        return fail(Errc::bad_request,
                    shortage("suite blogbench", Bytes{(least.count + 2) / 3 * 4}, available) + ": use a larger medium");
    if (request.quick) {
        blog.readers = 10;
        blog.intervals = 6;
        blog.interval = std::chrono::milliseconds(500);
    }
    if (request.time_limit) blog.interval = *request.time_limit / blog.intervals;
    return blog;
}

const CellResult* cell_of(std::span<const CellResult> pass, std::string_view table, Access access) {
    const auto found = std::ranges::find_if(
        pass, [&](const CellResult& cell) { return cell.cell.table == table && cell.cell.access == access; });
    return found == pass.end() ? nullptr : &*found;
}

constexpr std::array<std::string_view, 3> parts{"articles", "pictures", "comments"};

/// Reads of all parts by number of blogs: results at different numbers of blogs are not comparable.
std::vector<std::string> reads_by_blogs(const std::vector<double>& reads, const std::vector<std::uint64_t>& blogs) {
    constexpr std::uint64_t step = 500;
    std::vector<std::string> lines;
    for (std::uint64_t low = 0; !blogs.empty() && low < blogs.back(); low += step) {
        double sum = 0;
        std::size_t rows = 0;
        for (std::size_t i = 0; i < reads.size(); ++i)
            if (blogs[i] > low && blogs[i] <= low + step) {
                sum += reads[i];
                ++rows;
            }
        if (rows != 0)
            lines.push_back(fmt::format("{} to {}: {:.0f}", low, low + step, sum / static_cast<double>(rows)));
    }
    return lines;
}

std::optional<View> intervals_of(const DeviceResults& measured) {
    if (measured.passes.empty()) return std::nullopt;
    const auto pass = measured.passes.back();
    const CellResult* const blogs = cell_of(pass, "blogs", Access::random_write);
    const CellResult* const readers = cell_of(pass, "blogs", Access::random_read);
    if (blogs == nullptr || readers == nullptr || blogs->series.empty()) return std::nullopt;
    View view{.title = "Blogbench",
              .columns = {"blogs", "R articles", "W articles", "R pics", "W pics", "R comments", "W comments"},
              .rows = {},
              .notes = {fmt::format("Score for writes {} (finished blogs), for reads {} (blogs read through).",
                                    blogs->operations, readers->operations)}};
    const auto* const job = measured.job != nullptr ? measured.job->as<BlogJob>() : nullptr;
    const std::chrono::duration<double> interval = job != nullptr ? job->interval : BlogJob{}.interval;
    std::vector<std::uint64_t> so_far;
    std::vector<double> reads;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < blogs->series.size(); ++i) {
        count += blogs->series[i].operations;
        View::Row row{fmt::format("{:g} s", interval.count() * static_cast<double>(i + 1)), {std::to_string(count)}};
        double read = 0;
        for (const std::string_view part : parts)
            for (const Access access : {Access::random_read, Access::random_write}) {
                const CellResult* const cell = cell_of(pass, part, access);
                const bool there = cell != nullptr && i < cell->series.size();
                row.cells.push_back(there ? std::to_string(cell->series[i].operations) : "–");
                if (there && access == Access::random_read) read += static_cast<double>(cell->series[i].operations);
            }
        so_far.push_back(count);
        reads.push_back(read);
        view.rows.push_back(std::move(row));
    }
    view.notes.push_back(
        fmt::format("Reads per interval at equal numbers of blogs: {}. Compare these between formats: the "
                    "score for reads rises where writers are slow.",
                    fmt::join(reads_by_blogs(reads, so_far), ", ")));
    return view;
}

} // namespace

extern const Suite blogbench;
constexpr Suite blogbench{.name = "blogbench",
                          .title = "Blogbench",
                          .tables = tables,
                          .headlines = headlines,
                          .kind_of = people_of,
                          .cache = workload::CachePolicy::cached,
                          .sync = workload::SyncLevel::none,
                          .view = intervals_of};

} // namespace mediarig::suites
