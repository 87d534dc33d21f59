// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/trial/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/measure/statistics.hpp"
#include "host/metrics/metrics.hpp"
#include "host/plan/names.hpp"
#include "host/plan/step_text.hpp"
#include "host/trial/reservations.hpp"

namespace mediarig::trial {
namespace {

namespace comparison = measure::comparison;
using workload::CellResult;

/// What the record has of one format in one block.
struct Group {
    std::vector<const store::PassView*> passes;
    std::string failure; ///< the line that says what of it was not tested
};
/// By block and name of the format.
using Groups = std::map<std::pair<std::uint32_t, std::string>, Group>;

/// Of a step or pass; nothing where the key is of no group.
Group* group_in(Groups& groups, std::string_view key) {
    const auto parsed = plan::StepKey::parse(key);
    return parsed && !parsed->format.empty() ? &groups[{parsed->repeat, parsed->format}] : nullptr;
}

Groups groups_of(const Recorded& recorded) {
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

/// How many cells the passes were to measure of one operation.
std::size_t asked_for(const Group& group, workload::Access access) {
    std::size_t cells = 0;
    for (const store::PassView* view : group.passes)
        if (const auto* sweep = view->pass.job.as<workload::SweepJob>())
            cells += static_cast<std::size_t>(std::count_if(sweep->cells.begin(), sweep->cells.end(),
                                                            [&](const auto& cell) { return cell.access == access; }));
    return cells;
}

/// Nothing where a cell is missing: the mean of others would be of something else.
std::optional<double> headline_of(const Group& group, const std::vector<CellRate>& rates, workload::Access access) {
    std::vector<double> values;
    for (const CellRate& rate : rates)
        if (rate.cell.access == access) values.push_back(rate.bytes_per_second);
    if (values.empty() || values.size() != asked_for(group, access)) return std::nullopt;
    return measure::geometric_mean(values);
}

bool broke_off(const Group& group) {
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
        pass.failed = broke_off(group);
        if (pass.failed) pass.reason = "a measurement broke off with an error";
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
    // Every other plan is spared the parser.
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

Course course_of(const plan::Plan& plan, const Recorded& recorded) {
    Course course{.comparison = comparison::Comparison(design_of(plan)), .blocks = {}, .wanted = {}};
    const Groups groups = groups_of(recorded);
    const std::uint32_t last = most_numbered(plan);
    for (std::uint32_t number = 1; number <= last && !course.comparison.ended(); ++number) {
        // The order of a block that was cut off is that of the next one: each pair keeps its mirror image.
        std::vector<std::size_t> wanted = plan.compare->orders[course.comparison.blocks()];
        std::erase_if(wanted, [&](std::size_t format) { return !course.comparison.waits_for(format); });
        const auto of_block = groups.lower_bound({number, ""});
        const bool is_measured = of_block != groups.end() && of_block->first.first == number;
        if (!is_measured || number > recorded.last.value_or(number)) {
            course.next = number;
            course.wanted = std::move(wanted);
            break;
        }
        // One that was cut off is not made up for later: its formats would not have met the same medium.
        Block block = block_of(plan, wanted, number, groups);
        if (block.whole)
            course.comparison.add(figures_of(block));
        else
            course.comparison.pause();
        block.standings = course.comparison.standings();
        course.blocks.push_back(std::move(block));
    }
    if (recorded.closed || course.wanted.empty()) {
        course.wanted.clear();
        course.comparison.stop();
    }
    return course;
}

} // namespace mediarig::trial
