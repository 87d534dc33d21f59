// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/comparison/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"
#include "host/campaign/comparison/recorded_comparison.hpp"
#include "host/measure/comparison/sentence.hpp"
#include "host/plan/names.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::comparison_campaign {
namespace {

namespace comparison = measure::comparison;
using comparison::PairResult, comparison::ComparisonVerdict;

std::string group_of(const std::vector<std::size_t>& formats, const std::vector<std::string>& titles) {
    std::string text;
    for (const std::size_t format : formats) text += (text.empty() ? "" : ", ") + titles[format];
    return text;
}

/// Returns "; failed passes: exFAT 0, HFS+ 6, APFS 0"; empty if no pass failed.
std::string failed_passes(const Course& course, const std::vector<std::string>& titles) {
    std::vector<std::size_t> failed(titles.size());
    for (const Block& block : course.blocks)
        for (const FormatPass& pass : block.passes) failed[pass.format] += pass.failed ? 1 : 0;
    if (std::all_of(failed.begin(), failed.end(), [](std::size_t passes) { return passes == 0; })) return {};
    std::string text;
    for (std::size_t format = 0; format < titles.size(); ++format)
        text += fmt::format("{}{} {}", text.empty() ? "; failed passes: " : ", ", titles[format], failed[format]);
    return text;
}

/// Returns the number of blocks that remain in the budget; nothing if the budget is unlimited.
std::optional<std::size_t> blocks_left(const comparison::Comparison& of) {
    const auto& budget = of.rule().terms().budget;
    return budget ? std::optional(*budget - std::min(*budget, of.blocks())) : std::nullopt;
}

/// Returns the condition for which an open comparison waits, or its decision.
std::string state_of(const PairResult& pair_result, const comparison::Comparison& of,
                     const std::vector<std::string>& titles) {
    if (pair_result.verdict != ComparisonVerdict::open) return comparison::short_text_of(pair_result, of, titles);
    if (pair_result.look.blocks < comparison::fewest_blocks)
        return fmt::format("waits for block {}", comparison::fewest_blocks);
    if (pair_result.look.call == comparison::Call::difference)
        return fmt::format("significant alone; all {} comparisons are judged together, so it waits for the others",
                           of.pair_results().size());
    if (pair_result.look.excludes_zero()) {
        const std::size_t fewest = of.rule().fewest_for_a_difference();
        return pair_result.look.blocks < fewest
                   ? fmt::format("waits for block {}: fewer blocks cannot show a difference", fewest)
                   : "waits: too many random orders of these blocks give such a difference";
    }
    const auto more = of.rule().more_blocks(pair_result.look);
    if (!more) return "waits";
    const auto left = blocks_left(of);
    // Half of these forecasts are too high by a factor of two or more, so allow for that.
    if (left && *more > 2 * *left)
        return fmt::format("would take about {} more blocks, and {} {} left", *more, *left, *left == 1 ? "is" : "are");
    return fmt::format("waits for about {} more {}", *more, *more == 1 ? "block" : "blocks");
}

} // namespace

std::string_view operation_text(const PairResult& pair_result, const plan::Plan& plan) {
    return workload::title_of(plan.compare->headlines[pair_result.headline]);
}

std::string pair_text(const std::vector<std::string>& titles, std::size_t first, std::size_t second) {
    return fmt::format("{} against {}", titles[first], titles[second]);
}

std::vector<std::string> titles_of(const plan::Plan& plan) {
    const std::vector<std::string> names = plan::format_names(plan);
    std::vector<std::string> titles;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool deviates = plan.compare && !plan.compare->deviations.empty() && i > 0;
        titles.push_back(deviates ? plan.compare->deviations[i - 1] : plan::title_of_format(names[i]));
    }
    return titles;
}

std::vector<std::string> sentences_of(const Course& course, const plan::Plan& plan) {
    const std::vector<std::string> titles = titles_of(plan);
    std::vector<std::string> sentences;
    for (const PairResult& pair_result : course.comparison.pair_results())
        sentences.push_back(fmt::format("{}, {}: {}{}", operation_text(pair_result, plan),
                                        pair_text(titles, pair_result.first, pair_result.second),
                                        text_of(pair_result, course.comparison, titles),
                                        reservations_of(course, {pair_result.first, pair_result.second},
                                                        plan.compare->headlines[pair_result.headline], titles)));
    return sentences;
}

std::string decisions_of(const Course& course, const plan::Plan& plan) {
    const std::vector<std::string> names = plan::format_names(plan);
    nlohmann::json decisions = nlohmann::json::array();
    for (const PairResult& pair_result : course.comparison.pair_results()) {
        nlohmann::json each{{"operation", workload::name_of(plan.compare->headlines[pair_result.headline])},
                            {"first", names[pair_result.first]},
                            {"second", names[pair_result.second]},
                            {"decision", comparison::name_of(pair_result.verdict)}};
        if (pair_result.verdict == ComparisonVerdict::faster) each["format"] = names[pair_result.faster_format()];
        decisions.push_back(std::move(each));
    }
    return codec::json_line(decisions);
}

bool is_decision_line(const std::string& line) {
    const nlohmann::json decisions = codec::read_json(line);
    return decisions.is_array() && !decisions.empty() && decisions.front().is_object();
}

std::string answer_of(const Course& course, const plan::Plan& plan) {
    const std::vector<std::string> titles = titles_of(plan);
    const auto& pair_results = course.comparison.pair_results();
    std::string answer;
    for (std::size_t headline = 0; headline < plan.compare->headlines.size(); ++headline) {
        std::string said;
        if (plan.formats.size() == 2 || !plan.compare->deviations.empty()) {
            for (const PairResult& pair_result : pair_results)
                if (pair_result.headline == headline)
                    said += (said.empty() ? "" : ", ") +
                            (plan.formats.size() == 2 ? "" : titles[pair_result.second] + " ") +
                            text_of(pair_result, course.comparison, titles);
        } else {
            const auto fastest = course.comparison.fastest(headline);
            const bool same = fastest.size() > 1 && course.comparison.same_among(fastest, headline);
            said = fmt::format("{}: {}", fastest.size() == 1 || same ? "fastest" : "fastest group",
                               group_of(fastest, titles));
            if (same) said += fmt::format(", the same within {:.3g} %", plan.compare->margin_percent);
            said += failed_passes(course, titles);
        }
        answer += fmt::format("{}{}: {}", answer.empty() ? "" : "; ",
                              workload::title_of(plan.compare->headlines[headline]), said);
    }
    return answer;
}

std::string drawn_interval(double from, double to, double margin) {
    constexpr int half = 16;
    constexpr double margins = 4;
    const auto place = [&](double value) {
        return static_cast<int>(std::lround(std::clamp(value / margin / margins, -1.0, 1.0) * half));
    };
    std::string axis(2 * half + 1, '.');
    const auto at = [&](int column) -> char& { return axis.begin()[half + column]; };
    for (int column = place(from); column <= place(to); ++column) at(column) = '=';
    at(place(-margin)) = '(';
    at(place(margin)) = ')';
    at(0) = '|';
    // Mark the middle of the interval, not of its drawn part, whose ends may be clipped.
    if (std::isfinite(from + to)) at(place((from + to) / 2)) = 'o';
    if (from < -margins * margin) at(-half) = '<';
    if (to > margins * margin) at(half) = '>';
    return axis;
}

std::vector<std::string> running_lines(const Course& course, const plan::Plan& plan) {
    const std::vector<std::string> titles = titles_of(plan);
    const double margin = std::log1p(plan.compare->margin_percent / 100);
    std::vector<std::string> lines;
    for (const PairResult& pair_result : course.comparison.pair_results()) {
        const comparison::Look& look = pair_result.look;
        std::string line = fmt::format("{:<16} {}: ", operation_text(pair_result, plan),
                                       pair_text(titles, pair_result.first, pair_result.second));
        if (look.has_interval())
            line += drawn_interval(look.from(), look.to(), margin) + "  " + comparison::interval_text(look) + " ";
        lines.push_back(line + state_of(pair_result, course.comparison, titles));
    }
    return lines;
}

} // namespace mediarig::comparison_campaign
