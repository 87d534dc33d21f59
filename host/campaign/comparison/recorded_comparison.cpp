// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/recorded_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "host/measure/statistics.hpp"
#include "host/plan/names.hpp"
#include "host/plan/parse_plan.hpp"
#include "host/plan/steps.hpp"
#include "host/workload/metrics/metrics.hpp"

namespace mediarig::comparison_campaign {
namespace {

namespace comparison = measure::comparison;
using workload::CellResult;

/// The records of one format in one block.
struct Group {
    std::vector<const store::PassView*> passes;
    std::string failure; ///< line that names the untested part
};
/// Groups by block and name of the format.
using Groups = std::map<std::pair<std::uint32_t, std::string>, Group>;

/// Returns the group of a step or pass; null if the key belongs to no group.
Group* group_in(Groups& groups, std::string_view key) {
    const auto parsed = plan::StepKey::parse(key);
    return parsed && !parsed->format.empty() ? &groups[{parsed->repeat, parsed->format}] : nullptr;
}

Groups groups_of(const MediumRecords& recorded) {
    Groups groups;
    for (const store::PassView& view : recorded.passes)
        groups[{view.pass.repeat, view.pass.format}].passes.push_back(&view);
    for (const std::string& pass : recorded.cut_off) group_in(groups, pass);
    for (const measure::Untested& untested : recorded.untested)
        if (Group* group = group_in(groups, untested.key); group != nullptr && group->failure.empty())
            group->failure = plan::untested_text(untested);
    return groups;
}

std::vector<CellRate> rates_of(const Group& group) {
    std::vector<CellRate> rates;
    for (const store::PassView* view : group.passes)
        for (const CellResult& result : view->cells)
            if (metrics::counts(result))
                rates.push_back({.cell = {.key = fmt::format("{}.{}", plan::entry_of(view->pass.id), result.cell.id),
                                          .access = result.cell.access,
                                          .block = result.cell.block},
                                 .bytes_per_second = rate_of(result.moved, result.elapsed).bytes_per_second});
    return rates;
}

/// Returns the number of cells that the passes should have measured for one operation.
std::size_t asked_for(const Group& group, workload::Access access) {
    std::size_t cells = 0;
    for (const store::PassView* view : group.passes)
        if (const auto* sweep = view->pass.job.as<workload::SweepJob>())
            cells += static_cast<std::size_t>(std::count_if(sweep->cells.begin(), sweep->cells.end(),
                                                            [&](const auto& cell) { return cell.access == access; }));
    return cells;
}

/// Returns nothing if a cell is missing: the mean of the other cells would not be comparable.
std::optional<double> headline_of(const Group& group, const std::vector<CellRate>& rates, workload::Access access) {
    std::vector<double> values;
    for (const CellRate& rate : rates)
        if (rate.cell.access == access) values.push_back(rate.bytes_per_second);
    if (values.empty() || values.size() != asked_for(group, access)) return std::nullopt;
    return measure::geometric_mean(values);
}

bool ended_early(const Group& group) {
    return std::any_of(group.passes.begin(), group.passes.end(), [](const store::PassView* view) {
        return std::any_of(view->cells.begin(), view->cells.end(),
                           [](const CellResult& cell) { return cell.end == workload::CellEnd::error; });
    });
}

FormatPass pass_of(const plan::Plan& plan, std::size_t format, const Group& group) {
    FormatPass pass{.format = format, .headlines = {}, .cells = {}, .started = {}};
    const auto ended = std::count_if(group.passes.begin(), group.passes.end(),
                                     [](const store::PassView* view) { return view->end.has_value(); });
    pass.whole = static_cast<std::size_t>(ended) == plan.suites.size();
    if (!group.passes.empty()) pass.started = group.passes.front()->pass.started;
    pass.headlines.resize(plan.compare->headlines.size());
    if (pass.whole) {
        pass.cells = rates_of(group);
        take_reservations(pass, group.passes);
        for (std::size_t i = 0; i < pass.headlines.size(); ++i)
            pass.headlines[i] = headline_of(group, pass.cells, plan.compare->headlines[i]);
        pass.failed = ended_early(group);
        if (pass.failed) pass.reason = "a measurement ended with an error";
    } else if (!group.failure.empty()) {
        pass.failed = true;
        pass.reason = group.failure;
    }
    return pass;
}

Block block_of(const plan::Plan& plan, const std::vector<std::size_t>& wanted, std::uint32_t number,
               const Groups& groups) {
    static const Group none;
    const std::vector<std::string> names = plan::format_names(plan);
    Block block{.number = number, .whole = true, .passes = {}};
    for (const std::size_t format : wanted) {
        const auto found = groups.find({number, names[format]});
        block.passes.push_back(pass_of(plan, format, found == groups.end() ? none : found->second));
        block.whole = block.whole && (block.passes.back().whole || block.passes.back().failed);
    }
    return block;
}

std::vector<comparison::Pass> figures_of(const Block& block) {
    std::vector<comparison::Pass> passes;
    for (const FormatPass& pass : block.passes)
        passes.push_back({.format = pass.format, .figures = pass.headlines, .failed = pass.failed});
    return passes;
}

} // namespace

std::optional<plan::Plan> compared_plan(const store::CampaignRecord& campaign) {
    // Avoids parsing plans that contain no comparison.
    if (campaign.plan.find("\"compare\"") == std::string::npos) return std::nullopt;
    auto plan = plan::parse_plan(campaign.plan);
    return plan && plan->compare ? std::optional(std::move(*plan)) : std::nullopt;
}

std::uint32_t most_numbered(const plan::Plan& plan) {
    return std::min(2 * plan.repeats, plan::most_compare_blocks);
}

comparison::Design design_of(const plan::Plan& plan) {
    comparison::Design design{.formats = plan.formats.size(),
                              .headlines = plan.compare->headlines.size(),
                              .against_first = !plan.compare->deviations.empty()};
    design.terms.margin = plan.compare->margin_percent / 100;
    design.terms.budget = plan.compare->endless ? std::nullopt : std::optional<std::size_t>(plan.repeats);
    return design;
}

Course course_of(const plan::Plan& plan, const MediumRecords& recorded) {
    Course course{.comparison = comparison::Comparison(design_of(plan)), .blocks = {}, .wanted = {}};
    const Groups groups = groups_of(recorded);
    const std::uint32_t last = most_numbered(plan);
    for (std::uint32_t number = 1; number <= last && !course.comparison.ended(); ++number) {
        // The block after an interrupted block takes over the order of the interrupted block, so that each order is
        // used once.
        std::vector<std::size_t> wanted = plan.compare->orders[course.comparison.blocks()];
        std::erase_if(wanted, [&](std::size_t format) { return !course.comparison.waits_for(format); });
        const auto of_block = groups.lower_bound({number, ""});
        const bool is_measured = of_block != groups.end() && of_block->first.first == number;
        if (!is_measured || number > recorded.last.value_or(number)) {
            course.next = number;
            course.wanted = std::move(wanted);
            break;
        }
        // An interrupted block is not completed later: its formats would not have met the same state of the medium.
        Block block = block_of(plan, wanted, number, groups);
        if (block.whole)
            course.comparison.add(figures_of(block));
        else
            course.comparison.pause();
        block.pair_results = course.comparison.pair_results();
        course.blocks.push_back(std::move(block));
    }
    if (recorded.closed || course.wanted.empty()) {
        course.wanted.clear();
        course.comparison.stop();
    }
    return course;
}

namespace {

using measure::FindingKind;
using workload::Access, workload::CellResult;

bool tells_of_a_cache(FindingKind kind) {
    return kind == FindingKind::cache_suspected || kind == FindingKind::cache_not_dropped ||
           kind == FindingKind::impossible_rate;
}

void add(std::vector<Access>& accesses, Access access) {
    if (std::find(accesses.begin(), accesses.end(), access) == accesses.end()) accesses.push_back(access);
}

/// A finding about a pass applies to each of its operations.
void take(FormatPass& pass, const store::PassView& view, FindingKind kind, const std::string& of_cell) {
    if (!tells_of_a_cache(kind) && kind != FindingKind::processor_bound) return;
    for (const CellResult& cell : view.cells)
        if (of_cell.empty() || of_cell == cell.cell.id)
            add(kind == FindingKind::processor_bound ? pass.processor_bound : pass.cached, cell.cell.access);
}

/// The conditions of one format over all blocks that count.
struct FormatConditions {
    std::string driver;
    bool all_around_cache{true};
    std::size_t passes{}, cached{}, bound{};
};

bool holds(const std::vector<Access>& accesses, Access access) {
    return std::find(accesses.begin(), accesses.end(), access) != accesses.end();
}

FormatConditions way_of(const Course& course, std::size_t format, Access operation) {
    FormatConditions way;
    for (const Block& block : course.blocks)
        for (const FormatPass& pass : block.passes) {
            if (pass.format != format || !block.whole || !pass.whole) continue;
            ++way.passes;
            if (!pass.limited_driver.empty()) way.driver = pass.limited_driver;
            way.all_around_cache = way.all_around_cache && pass.around_cache;
            way.cached += holds(pass.cached, operation) ? 1 : 0;
            way.bound += holds(pass.processor_bound, operation) ? 1 : 0;
        }
    return way;
}

} // namespace

void take_reservations(FormatPass& pass, const std::vector<const store::PassView*>& from) {
    pass.around_cache = true;
    for (const store::PassView* view : from) {
        if (const auto& mount = view->pass.mounted)
            if (std::any_of(mount->limits.begin(), mount->limits.end(),
                            [](const measure::Finding& limit) { return limit.severity != measure::Severity::note; }))
                pass.limited_driver = mount->driver;
        for (const measure::Finding& finding : view->findings) take(pass, *view, finding.kind, finding.cell);
        for (const CellResult& cell : view->cells) {
            if (!metrics::counts(cell)) continue;
            if (cell.evidence.used != workload::CachePolicy::direct) pass.around_cache = false;
            if (cell.evidence.used == workload::CachePolicy::cached) add(pass.cached, cell.cell.access);
            for (const measure::Finding& finding : cell.findings) take(pass, *view, finding.kind, cell.cell.id);
        }
    }
}

std::string reservations_of(const Course& course, const std::vector<std::size_t>& formats, Access operation,
                            const std::vector<std::string>& titles) {
    std::vector<FormatConditions> ways;
    for (const std::size_t format : formats) ways.push_back(way_of(course, format, operation));
    const bool any_around = std::any_of(
        ways.begin(), ways.end(), [](const FormatConditions& way) { return way.passes > 0 && way.all_around_cache; });
    std::vector<std::string> said, of_each;
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const FormatConditions& way = ways[i];
        if (way.passes == 0) continue;
        std::vector<std::string> parts;
        if (!way.driver.empty()) parts.push_back("through the driver " + way.driver);
        if (any_around && !way.all_around_cache) parts.emplace_back("without O_DIRECT");
        if (way.cached > 0)
            parts.push_back(fmt::format("answered by a cache of this host in {} of {} passes", way.cached, way.passes));
        if (way.bound > 0)
            parts.push_back(fmt::format("waiting for the processor in {} of {} passes", way.bound, way.passes));
        if (parts.empty()) continue;
        of_each.push_back(fmt::format("{}", fmt::join(parts, " and ")));
        said.push_back(fmt::format("{} {}", titles[formats[i]], of_each.back()));
    }
    if (said.empty()) return {};
    const bool alike =
        of_each.size() == formats.size() &&
        std::all_of(of_each.begin(), of_each.end(), [&](const auto& each) { return each == of_each[0]; });
    if (alike) return fmt::format("; with reservations: {} {}", formats.size() == 2 ? "both" : "all", of_each[0]);
    return fmt::format("; with reservations: {}", fmt::join(said, ", "));
}

} // namespace mediarig::comparison_campaign
