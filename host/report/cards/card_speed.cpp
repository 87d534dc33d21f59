// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>

#include "host/report/cards/card.hpp"
#include "host/report/tables/tables.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/workload/jobs/capacity_finding.hpp"
#include "host/workload/metrics/metrics.hpp"

namespace mediarig::report {
namespace {

using suites::Metric, suites::Value;
using workload::Access, workload::CellResult;

constexpr Access all_accesses[] = {Access::sequential_read, Access::sequential_write, Access::random_read,
                                   Access::random_write};

/// One figure of a line.
struct Shown {
    Metric metric;
    const std::vector<double>* passes;
    std::string_view title{}; ///< term of the suite's table, if the suite has its own terms
    bool lower_bound{};
    std::optional<std::uint64_t> few{}; ///< number of operations if it is too small for a reliable figure
};

/// A count from a single pass has no decimals.
std::string number_of(const Shown& figure) {
    const std::vector<double>& passes = *figure.passes;
    if (figure.metric.value == Value::operations && passes.size() == 1) return fmt::format("{:.0f}", passes.front());
    return short_figure_text(passes);
}

/// Returns "block write 605, block read 1577 MB/s; seeks/s 12619": the terms of the suite's table, with the unit after
/// the last figure that has it.
std::string listed_by_title(const std::vector<Shown>& figures) {
    const auto split = [](std::string_view title) {
        const std::size_t comma = title.rfind(", ");
        return comma == std::string_view::npos ? std::pair(title, std::string_view())
                                               : std::pair(title.substr(0, comma), title.substr(comma + 2));
    };
    std::string text;
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const auto [name, unit] = split(figures[i].title);
        text += fmt::format("{} {}{}", name, figures[i].lower_bound ? "at least " : "", number_of(figures[i]));
        const bool last = i + 1 == figures.size();
        const bool goes_on = !last && split(figures[i + 1].title).second == unit;
        if (!goes_on && !unit.empty()) text += fmt::format(" {}", unit);
        if (!last) text += goes_on && !unit.empty() ? ", " : "; ";
    }
    return text;
}

/// Returns "sequential read 92.1 ±0.4, write 31.1 ±0.6 MB/s; random read 2210 ±40, write 640 ±25 ops/s": the order is
/// given if it changes, the unit after the last figure that has it.
std::string listed(const std::vector<Shown>& figures) {
    if (!figures.front().title.empty()) return listed_by_title(figures);
    std::string text;
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const Metric& metric = figures[i].metric;
        std::string_view words = text_for(metric.access);
        const bool goes_on = i > 0 && workload::random(figures[i - 1].metric.access) == workload::random(metric.access);
        if (goes_on) words.remove_prefix(words.find(' ') + 1);
        if (i > 0) text += goes_on ? ", " : "; ";
        text += fmt::format("{} {}", words, short_figure_text(*figures[i].passes));
        if (i + 1 == figures.size() || unit_of(figures[i + 1].metric.value) != unit_of(metric.value))
            text += fmt::format(" {}", unit_of(metric.value));
    }
    return text;
}

std::string passes_of(const std::vector<Shown>& figures) {
    std::vector<Shown> counted;
    std::ranges::copy_if(figures, std::back_inserter(counted),
                         [](const Shown& each) { return !suites::is_extreme(each.metric.value); });
    const auto [least, most] = std::ranges::minmax(counted.empty() ? figures : counted, {},
                                                   [](const Shown& each) { return each.passes->size(); });
    if (least.passes->size() == most.passes->size()) return passes_text(most.passes->size());
    return fmt::format("{} to {}", least.passes->size(), passes_text(most.passes->size()));
}

/// Returns caveats such as ", quick" and ", not settled", which qualify the figures.
std::string caveats_of(const store::DeviceView& device, const Subject& subject, const suites::Suite& suite) {
    bool quick = false;
    std::string_view caveat;
    for (const store::PassView& pass : device.passes) {
        if (pass.pass.job.suite != suite.name || pass.pass.format != subject.format) continue;
        quick = quick || pass.pass.job.quick;
        if (suite.caveat != nullptr && caveat.empty()) caveat = suite.caveat(pass.cells);
    }
    return fmt::format("{}{}{}", quick ? ", quick" : "", caveat.empty() ? "" : ", ", caveat);
}

/// Returns ", random write from 1 operation": too few for a reliable figure.
std::string few_of(const std::vector<Shown>& figures) {
    std::string text;
    for (const Shown& figure : figures)
        if (figure.few)
            text += fmt::format(", {} {} {} operation{}",
                                figure.title.empty() ? text_for(figure.metric.access) : figure.title,
                                figure.metric.value == Value::average_mb_per_s ? "in part from" : "from", *figure.few,
                                *figure.few == 1 ? "" : "s");
    return text;
}

/// Returns the lowest number of operations of the cells of this figure, if it is too low; otherwise nothing.
std::optional<std::uint64_t> few_behind(const store::DeviceView& device, const Subject& subject, std::string_view suite,
                                        const Metric& metric) {
    std::optional<std::uint64_t> fewest;
    for (const store::PassView& pass : device.passes) {
        if (pass.pass.job.suite != suite || pass.pass.format != subject.format) continue;
        for (const CellResult& cell : pass.cells)
            if (cell.cell.table == metric.table && cell.cell.access == metric.access &&
                cell.cell.block == metric.block.value_or(cell.cell.block) && metrics::has_few_operations(cell))
                fewest = std::min(fewest.value_or(cell.operations), cell.operations);
    }
    return fewest;
}

/// Returns true if `holds` returns true for a cell in the subject's passes of a suite.
template <class Holds>
bool any_cell(const store::DeviceView& device, const Subject& subject, std::string_view suite, Holds holds) {
    return std::ranges::any_of(device.passes, [&](const store::PassView& pass) {
        return pass.pass.job.suite == suite && pass.pass.format == subject.format &&
               std::ranges::any_of(pass.cells, holds);
    });
}

/// Returns the measured headline figures of the suite's descriptor.
std::vector<Shown> headlines_of(const Figures& figures, const Subject& subject, const suites::Suite& suite,
                                const store::DeviceView& device) {
    std::vector<Shown> shown;
    for (const suites::Headline& headline : suite.headlines) {
        const Metric& metric = headline.metric;
        const auto& passes = figures.passes(subject, suite.name, metric);
        if (passes.empty()) continue;
        const bool named_views = suites::shape_of(metric.table) == suites::Shape::named_views;
        const bool too_fast = any_cell(device, subject, suite.name, [&](const CellResult& cell) {
            return cell.cell.table == metric.table && cell.cell.access == metric.access &&
                   cell.elapsed < suite.least_trusted_time;
        });
        shown.push_back({metric, &passes, named_views ? headline.title : std::string_view(), too_fast,
                         few_behind(device, subject, suite.name, metric)});
    }
    return shown;
}

/// Returns ", no average of random write: nothing moved at 8 KB": a missing headline whose other cells were measured.
std::string missing_of(const std::vector<Shown>& shown, const store::DeviceView& device, const Subject& subject,
                       const suites::Suite& suite) {
    std::string text;
    for (const suites::Headline& headline : suite.headlines) {
        const Metric& metric = headline.metric;
        const auto is_shown = [&](const Shown& each) { return each.metric == metric; };
        if (metric.value != Value::average_mb_per_s || std::ranges::any_of(shown, is_shown)) continue;
        std::vector<std::string> blocks;
        bool measured = false;
        for (const store::PassView& pass : device.passes) {
            if (pass.pass.job.suite != suite.name || pass.pass.format != subject.format) continue;
            for (const CellResult& cell : pass.cells) {
                if (cell.cell.table != metric.table || cell.cell.access != metric.access) continue;
                measured = measured || metrics::counts(cell);
                const std::string block = block_title(cell.cell.block);
                if (!metrics::counts(cell) && std::ranges::find(blocks, block) == blocks.end()) blocks.push_back(block);
            }
        }
        if (measured && !blocks.empty())
            text += fmt::format(", no average of {}: nothing was measured at {}", text_for(metric.access),
                                fmt::join(blocks, ", "));
    }
    return text;
}

/// Returns the rates at the largest measured block size, for a suite that ran in part and so has no average.
std::vector<Shown> largest_of(const Figures& figures, const Subject& subject, const std::string& suite,
                              const std::vector<SweepRow>& rows) {
    std::vector<Shown> shown;
    for (auto row = rows.rbegin(); row != rows.rend() && shown.empty(); ++row)
        for (const Access access : all_accesses) {
            // An access that is named by its direction alone is sequential.
            if (suites::shape_of(row->table) == suites::Shape::capacity && workload::random(access)) continue;
            const Metric metric{.table = row->table, .access = access, .block = row->block, .value = Value::mb_per_s};
            if (const auto& passes = figures.passes(subject, suite, metric); !passes.empty())
                shown.push_back({metric, &passes});
        }
    return shown;
}

/// Returns the part of the medium that a test of its capacity covered.
std::string_view reach_of(const store::DeviceView& device, const Subject& subject, std::string_view suite) {
    std::string_view reach = ", from end to end";
    for (const store::PassView& pass : device.passes) {
        if (pass.pass.job.suite != suite || pass.pass.format != subject.format || !pass.end || !pass.end->verify)
            continue;
        if (pass.end->verify->probe) return ", at samples";
        if (workload::is_of_part(*pass.end->verify)) reach = ", of a part";
    }
    return reach;
}

/// Returns " averages", or the block size if it is the same for all.
std::string measured_with(const std::vector<Shown>& shown) {
    const Metric& metric = shown.front().metric;
    if (!shown.front().title.empty()) return "";
    const suites::SuiteTable* table = suites::find_table(metric.table);
    if (metric.value == Value::average_mb_per_s) return " averages";
    if (table != nullptr && table->shape == suites::Shape::capacity) return "";
    const bool alike = std::ranges::all_of(shown, [&](const Shown& each) { return each.metric.block == metric.block; });
    return alike && metric.block ? ", " + block_title(*metric.block) : "";
}

bool is_of_capacity(const Shown& shown) {
    return shown.title.empty() && suites::shape_of(shown.metric.table) == suites::Shape::capacity;
}

using WritingKind = std::tuple<std::string, std::string, std::string, Bytes>; ///< suite, format, table, block

/// Writes of one suite, format, table and block size.
struct Written {
    std::chrono::nanoseconds elapsed{};
    std::vector<double> seconds; ///< MB/s of each whole second
};

/// The rate of smaller transfers is limited by system calls, not by the medium.
constexpr Bytes smallest_transfer = 4_KiB;

std::map<WritingKind, Written> writing_of(const store::DeviceView& device) {
    std::map<std::string, bool> process; // true if a process serves the format
    for (const store::PassView& pass : device.passes)
        process.try_emplace(pass.pass.format, served_by_process(device, pass.pass.format));
    std::map<WritingKind, Written> all;
    for (const store::PassView& pass : device.passes)
        for (const CellResult& cell : pass.cells) {
            if (cell.cell.access != Access::sequential_write || !metrics::counts(cell) || cell.moved == 0_B) continue;
            if (cell.cell.block < smallest_transfer) continue;
            // If writes go through the page cache, their rate is that of this computer's memory.
            if (cell.evidence.used != workload::CachePolicy::direct || process[pass.pass.format]) continue;
            Written& written = all[{pass.pass.job.suite, pass.pass.format, cell.cell.table, cell.cell.block}];
            written.elapsed += cell.elapsed;
            std::ranges::move(suites::whole_seconds_of(cell), std::back_inserter(written.seconds));
        }
    return all;
}

std::string best_and_worst(const store::DeviceView& device) {
    constexpr std::size_t least_seconds = 3;
    auto all = writing_of(device);
    std::erase_if(all, [&](const auto& entry) { return entry.second.seconds.size() < least_seconds; });
    const auto longest = std::ranges::max_element(all, {}, [](const auto& entry) { return entry.second.elapsed; });
    if (longest == all.end()) return {};
    const auto [worst, best] = std::ranges::minmax(longest->second.seconds);
    const auto& [suite, format, table, block] = longest->first;
    const suites::Suite* const known = suites::find_suite(suite);
    const bool several = known == nullptr || known->tables.size() > 1;
    return fmt::format("{}: best second of writing {}, worst {} MB/s ({}{}); blocks of {}", format_title(format),
                       three_digits(best), three_digits(worst), suite_title(suite),
                       table == suite || !several ? "" : " " + table, block_title(block));
}

/// Fastest measured mean of an access at the largest block size, with its format.
struct Fastest {
    double megabytes{};
    std::string format;
};

Fastest fastest_of(const Figures& figures, Access access) {
    Fastest fastest;
    for (const std::string& suite : figures.suites())
        for (const Subject& subject : figures.subjects(suite))
            for (const Shown& each : largest_of(figures, subject, suite, figures.rows(suite))) {
                const double mean = std::accumulate(each.passes->begin(), each.passes->end(), 0.0) /
                                    static_cast<double>(each.passes->size());
                if (each.metric.access == access && mean > fastest.megabytes)
                    fastest = {mean, format_title(subject.format)};
            }
    return fastest;
}

/// Returns "sequential write 60.0 MB/s plus 0.26 ms per request, measured 57.8 (exFAT)"; empty if nothing was measured.
std::string model_part(const Figures& figures, Access access, double bytes_per_second, std::uint64_t request_ns) {
    const Fastest fastest = fastest_of(figures, access);
    if (fastest.format.empty()) return {};
    const std::string rate =
        bytes_per_second > 0 ? three_digits(Rate{bytes_per_second}.megabytes_per_second()) + " MB/s" : "any rate";
    return fmt::format("{} {} plus {:.3g} ms per request, measured {} ({})", text_for(access), rate,
                       static_cast<double>(request_ns) / 1e6, three_digits(fastest.megabytes), fastest.format);
}

/// Returns the figures of an emulated medium's card model next to the measured ones. They are no limit: a file system
/// moves more than the data.
std::string model_line(const Figures& figures, const media::ModelFigures& model) {
    std::vector<std::string> parts{
        model_part(figures, Access::sequential_read, model.read_bytes_per_second, model.read_request_ns),
        model_part(figures, Access::sequential_write, model.write_bytes_per_second, model.write_request_ns)};
    std::erase(parts, std::string());
    return parts.empty() ? std::string() : fmt::format("card model: {}", fmt::join(parts, "; "));
}

} // namespace

std::vector<std::string> speed_lines(const store::CampaignView& campaign, std::size_t device) {
    const Figures figures(campaign, {device});
    std::vector<std::string> lines;
    for (const std::string& suite : figures.suites()) {
        const suites::Suite* known = suites::find_suite(suite);
        const std::vector<SweepRow> rows = figures.rows(suite);
        for (const Subject& subject : figures.subjects(suite)) {
            std::vector<Shown> shown;
            std::string missing;
            if (known != nullptr) shown = headlines_of(figures, subject, *known, campaign.devices[device]);
            if (known != nullptr && !shown.empty())
                missing = missing_of(shown, campaign.devices[device], subject, *known);
            if (shown.empty()) shown = largest_of(figures, subject, suite, rows);
            if (shown.empty()) continue;
            const bool cached = any_cell(campaign.devices[device], subject, suite, [](const CellResult& cell) {
                return cell.evidence.used == workload::CachePolicy::cached;
            });
            const std::string_view reach =
                is_of_capacity(shown.front()) ? reach_of(campaign.devices[device], subject, suite) : std::string_view();
            // Parts that may be long follow the parentheses.
            std::string notes = missing + few_of(shown) +
                                (known != nullptr ? caveats_of(campaign.devices[device], subject, *known) : "") +
                                (cached ? ", through this computer's cache" : "") + ", " + passes_of(shown);
            notes.erase(0, 2);
            lines.push_back(fmt::format("{}: {} ({}{}){}; {}", format_title(subject.format), listed(shown),
                                        suite_title(suite), measured_with(shown), reach, notes));
        }
    }
    const media::Medium& medium = campaign.devices[device].device.identity;
    // The size is smaller than any card or stick of the last twenty years, and than the caches before a medium.
    constexpr Bytes smallest_that_tells = 64_MiB;
    const bool too_small = !lines.empty() && medium.transport != media::Transport::directory && medium.size != 0_B &&
                           medium.size < smallest_that_tells;
    constexpr std::size_t most = 8;
    lines = first_lines(std::move(lines), most, "more in the tables");
    if (std::string seconds = best_and_worst(campaign.devices[device]); !seconds.empty())
        lines.push_back(std::move(seconds));
    if (medium.card_model)
        if (std::string model = model_line(figures, *medium.card_model); !model.empty())
            lines.push_back(std::move(model));
    if (too_small)
        lines.push_back(
            fmt::format("{} fit into the caches on the way: for so small a medium these figures have little meaning.",
                        size_text(medium.size)));
    return lines;
}

} // namespace mediarig::report
