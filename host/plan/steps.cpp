// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "common/split_mix.hpp"
#include "host/measure/counterbalance.hpp"
#include "host/plan/names.hpp"

namespace mediarig::plan {
namespace {

Step of_medium(std::size_t medium, StepKind kind) {
    return {
        .key = StepKey{.medium = medium, .what = std::string(name_of(kind))}.text(), .kind = kind, .medium = medium};
}

std::vector<SuiteEntry> suites_at(const Plan& plan, SuiteTarget where) {
    std::vector<SuiteEntry> suites;
    for (const SuiteEntry& suite : plan.suites)
        if (suite.where == where) suites.push_back(suite);
    return suites;
}

bool rests(const Compare& compare) {
    return compare.rest.count() > 0 || compare.longest_rest.count() > 0;
}

/// Writes the steps of one group.
class GroupWriter {
public:
    GroupWriter(std::size_t medium, std::uint32_t repeat, const std::string& name,
                const std::optional<FormatEntry>& format)
        : key_{.medium = medium, .repeat = repeat, .format = name}, format_(format) {
        group_.key = key_.text();
    }

    void add(StepKind kind) {
        StepKey key = key_;
        key.what = name_of(kind);
        group_.steps.push_back({.key = key.text(),
                                .kind = kind,
                                .medium = key.medium,
                                .repeat = key.repeat,
                                .format = format_,
                                .format_name = key.format});
    }

    void add_rest(std::chrono::seconds rest) {
        add(StepKind::rest);
        group_.steps.back().rest = rest;
    }

    void add_runs(const std::vector<SuiteEntry>& suites) {
        std::map<std::string_view, std::size_t> seen;
        for (const SuiteEntry& suite : suites) {
            StepKey pass = key_;
            pass.entry = numbered(suite.request.name, seen[suite.request.name]++);
            add(StepKind::run);
            Step& run = group_.steps.back();
            run.entry = pass.entry;
            run.pass = pass.text();
            pass.what = name_of(StepKind::run);
            run.key = pass.text();
            run.suite = suite;
        }
    }

    [[nodiscard]] StepGroup take() { return std::move(group_); }

private:
    StepKey key_; ///< key of the group
    std::optional<FormatEntry> format_;
    StepGroup group_;
};

StepGroup only_runs(std::size_t medium, std::uint32_t repeat, std::string_view name,
                    const std::vector<SuiteEntry>& suites) {
    GroupWriter group(medium, repeat, std::string(name), std::nullopt);
    group.add_runs(suites);
    return group.take();
}

StepGroup of_format(std::size_t medium, std::uint32_t repeat, const std::string& name, const FormatEntry& format,
                    const std::vector<SuiteEntry>& suites, const std::optional<Compare>& compare) {
    GroupWriter group(medium, repeat, name, format);
    // During the rest, the medium performs the internal clean-up that the discard causes.
    if (compare && compare->discard) group.add(StepKind::discard);
    if (compare && rests(*compare)) group.add_rest(compare->rest);
    if (!format.keep) group.add(StepKind::format);
    if (!suites.empty()) {
        group.add(StepKind::mount);
        group.add_runs(suites);
        group.add(StepKind::unmount);
    }
    group.add(StepKind::check);
    return group.take();
}

} // namespace

measure::Untested untested(const Step& step, std::string why) {
    return {.key = step.pass.empty() ? step.key : step.pass, .why = std::move(why)};
}

std::string group_key(const Step& step) {
    return StepKey{.medium = step.medium, .repeat = step.repeat, .format = step.format_name}.text();
}

std::vector<Step> beginning_of(const Plan& plan, std::size_t medium) {
    std::vector<Step> steps;
    if (plan.media[medium].slot) steps.push_back(of_medium(medium, StepKind::load));
    steps.push_back(of_medium(medium, StepKind::identify));
    if (plan.media[medium].directory.empty()) steps.push_back(of_medium(medium, StepKind::claim));
    return steps;
}

std::vector<Step> end_of(const Plan& plan, std::size_t medium) {
    std::vector<Step> steps;
    if (plan.media[medium].directory.empty()) steps.push_back(of_medium(medium, StepKind::release));
    steps.push_back(of_medium(medium, StepKind::verdict));
    // Unloading follows the verdict, which determines the destination of the medium.
    if (plan.media[medium].slot) steps.push_back(of_medium(medium, StepKind::unload));
    return steps;
}

std::vector<StepGroup> groups_of(const Plan& plan, std::size_t medium) {
    std::vector<StepGroup> groups;
    const std::vector<SuiteEntry> in_files = suites_at(plan, SuiteTarget::file_system);
    if (!plan.media[medium].directory.empty()) {
        for (std::uint32_t repeat = 1; repeat <= plan.repeats; ++repeat)
            groups.push_back(only_runs(medium, repeat, directory_name, in_files));
        return groups;
    }
    const std::vector<SuiteEntry> raw = suites_at(plan, SuiteTarget::raw);
    const std::vector<std::string> names = format_names(plan);
    const std::vector<std::vector<std::size_t>> orders = format_order(plan);
    for (std::uint32_t repeat = 1; repeat <= plan.repeats; ++repeat) {
        if (!raw.empty()) groups.push_back(only_runs(medium, repeat, raw_name, raw));
        for (const std::size_t index : orders[repeat - 1]) {
            const FormatEntry& format = plan.formats[index];
            groups.push_back(
                of_format(medium, repeat, names[index], format, format.suites.value_or(in_files), plan.compare));
        }
    }
    return groups;
}

StepGroup group_of_block(const Plan& plan, std::size_t medium, std::uint32_t number, std::size_t format) {
    return of_format(medium, number, format_names(plan)[format], plan.formats[format],
                     suites_at(plan, SuiteTarget::file_system), plan.compare);
}

std::vector<Step> unroll(const Plan& plan) {
    std::vector<Step> steps;
    steps.reserve(step_count(plan));
    const auto append = [&](std::vector<Step> more) {
        steps.insert(steps.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    for (std::size_t medium = 0; medium < plan.media.size(); ++medium) {
        append(beginning_of(plan, medium));
        for (StepGroup& group : groups_of(plan, medium)) append(std::move(group.steps));
        append(end_of(plan, medium));
    }
    return steps;
}

std::uint64_t step_count(const Plan& plan) {
    std::uint64_t raw = 0;
    for (const SuiteEntry& suite : plan.suites) raw += suite.where == SuiteTarget::raw ? 1 : 0;
    const std::uint64_t in_files = plan.suites.size() - raw;
    std::uint64_t repeat = raw;
    if (plan.compare && plan.compare->discard) repeat += plan.formats.size();
    if (plan.compare && rests(*plan.compare)) repeat += plan.formats.size();
    for (const FormatEntry& format : plan.formats) {
        const std::uint64_t suites = format.suites ? format.suites->size() : in_files;
        repeat += (format.keep ? 1 : 2) + (suites > 0 ? suites + 2 : 0);
    }
    std::uint64_t all = 0;
    for (const MediumRef& medium : plan.media)
        all += medium.directory.empty() ? (medium.slot ? 6 : 4) + repeat * plan.repeats : 2 + in_files * plan.repeats;
    return all;
}

namespace {

std::string text_of(const StepKey& key) {
    const bool is_run = !key.entry.empty();
    const PassTarget ground = pass_target_from(key.format);
    const std::string format = ground == PassTarget::kept ? "the " + title_of_format(key.format) : key.format;
    std::string text = is_run ? key.entry : key.what;
    if (is_run)
        text += ground == PassTarget::raw ? " " : ground == PassTarget::directory ? " in a " : " on ";
    else if (!text.empty() && !format.empty())
        text += " ";
    text += format;
    if (key.repeat > 1) text += fmt::format(", repeat {}", key.repeat);
    return text;
}

} // namespace

std::string text_of(const Step& step) {
    return text_of(StepKey{.repeat = step.repeat,
                           .format = step.format_name,
                           .entry = step.entry,
                           .what = std::string(name_of(step.kind))});
}

std::string text_of_key(std::string_view key) {
    const auto parsed = StepKey::parse(key);
    return parsed ? text_of(*parsed) : std::string(key);
}

std::string untested_text(const measure::Untested& untested) {
    return text_of_key(untested.key) + ": " + untested.why;
}

std::vector<std::vector<std::size_t>> format_order(const Plan& plan) {
    if (plan.compare) return plan.compare->orders;
    std::vector<std::size_t> order(plan.formats.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (plan.order.kind == OrderKind::reversed) std::reverse(order.begin(), order.end());

    SplitMix numbers(plan.order.seed);
    if (plan.order.kind == OrderKind::counterbalanced) {
        measure::shuffle(order, numbers);
        auto rows = measure::counterbalanced(order.size(), plan.repeats);
        for (std::vector<std::size_t>& row : rows)
            for (std::size_t& format : row) format = order[format];
        return rows;
    }
    if (plan.order.kind == OrderKind::random) return measure::random_orders(order.size(), plan.repeats, numbers);
    if (plan.order.kind == OrderKind::random_pairs) return measure::shuffled_pairs(order.size(), plan.repeats, numbers);
    return std::vector<std::vector<std::size_t>>(plan.repeats, order);
}

} // namespace mediarig::plan
