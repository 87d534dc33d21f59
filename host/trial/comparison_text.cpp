// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/trial/comparison_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/measure/comparison/sentence.hpp"
#include "host/plan/names.hpp"
#include "host/trial/reservations.hpp"
#include "host/workload/names.hpp"

namespace mediarig::trial {
namespace {

namespace comparison = measure::comparison;
using comparison::Standing, comparison::Verdict;

std::string pair_of(const Standing& standing, const std::vector<std::string>& titles) {
    return fmt::format("{} against {}", titles[standing.first], titles[standing.second]);
}

std::string_view operation_of(const Standing& standing, const plan::Plan& plan) {
    return workload::title_of(plan.compare->headlines[standing.headline]);
}

std::string group_of(const std::vector<std::size_t>& formats, const std::vector<std::string>& titles) {
    std::string text;
    for (const std::size_t format : formats) text += (text.empty() ? "" : ", ") + titles[format];
    return text;
}

/// What a comparison that is open waits for, or how it was decided.
std::string state_of(const Standing& standing, const comparison::Comparison& of,
                     const std::vector<std::string>& titles) {
    switch (standing.verdict) {
        case Verdict::faster:
            return titles[standing.faster_format()] + " is faster" +
                   (standing.too_little ? ", too little to matter" : "");
        case Verdict::same:
            return fmt::format("the same within {:.3g} %", 100 * of.rule().terms().margin);
        case Verdict::hopeless:
            return "cannot tell: the rest of the budget would hardly decide";
        case Verdict::out_of_budget:
            return "cannot tell";
        case Verdict::depends_on_before:
            return "depends on what was there before";
        case Verdict::perhaps_faster:
            return "perhaps " + titles[standing.faster_format()];
        case Verdict::open:
            break;
    }
    if (standing.look.blocks < comparison::fewest_blocks)
        return fmt::format("waits for block {}", comparison::fewest_blocks);
    if (standing.look.call == comparison::Call::difference) return "waits: not sure enough among so many comparisons";
    const auto more = of.rule().more_blocks(standing.look);
    return more ? fmt::format("waits for about {} more {}", *more, *more == 1 ? "block" : "blocks") : "waits";
}

} // namespace

std::vector<std::string> titles_of(const plan::Plan& plan) {
    const std::vector<std::string> names = plan::format_names(plan);
    std::vector<std::string> titles;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string& name = plan.compare->self_test ? names.front() : names[i];
        const auto fs = media::file_system_from(name);
        std::string title = fs ? std::string(media::title_of(*fs)) : name;
        if (plan.compare->self_test) title += fmt::format(" ({})", i + 1);
        if (!plan.compare->deviations.empty() && i > 0) title = plan.compare->deviations[i - 1];
        titles.push_back(std::move(title));
    }
    return titles;
}

std::vector<std::string> sentences_of(const Course& course, const plan::Plan& plan) {
    const std::vector<std::string> titles = titles_of(plan);
    std::vector<std::string> sentences;
    for (const Standing& standing : course.comparison.standings())
        sentences.push_back(fmt::format("{}, {}: {}{}", operation_of(standing, plan), pair_of(standing, titles),
                                        text_of(standing, course.comparison, titles),
                                        reservations_of(course, {standing.first, standing.second},
                                                        plan.compare->headlines[standing.headline], titles)));
    return sentences;
}

std::string answer_of(const Course& course, const plan::Plan& plan) {
    const std::vector<std::string> titles = titles_of(plan);
    const auto& standings = course.comparison.standings();
    std::string answer;
    for (std::size_t headline = 0; headline < plan.compare->headlines.size(); ++headline) {
        std::string said;
        if (plan.formats.size() == 2 || !plan.compare->deviations.empty()) {
            for (const Standing& standing : standings)
                if (standing.headline == headline)
                    said += (said.empty() ? "" : ", ") +
                            (plan.formats.size() == 2 ? "" : titles[standing.second] + " ") +
                            text_of(standing, course.comparison, titles);
        } else {
            const auto fastest = course.comparison.fastest(headline);
            said = fmt::format("{}: {}", fastest.size() == 1 ? "fastest" : "fastest group", group_of(fastest, titles));
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
    at((place(from) + place(to)) / 2) = 'o';
    if (from < -margins * margin) at(-half) = '<';
    if (to > margins * margin) at(half) = '>';
    return axis;
}

std::vector<std::string> running_lines(const Course& course, const plan::Plan& plan) {
    const std::vector<std::string> titles = titles_of(plan);
    const double margin = std::log1p(plan.compare->margin_percent / 100);
    std::vector<std::string> lines;
    for (const Standing& standing : course.comparison.standings()) {
        const comparison::Look& look = standing.look;
        std::string line = fmt::format("{:<16} {}: ", operation_of(standing, plan), pair_of(standing, titles));
        if (look.blocks >= comparison::fewest_blocks && std::isfinite(look.half_width))
            line += fmt::format("{} {:+.1f} % [{:+.1f}, {:+.1f}] ", drawn_interval(look.from(), look.to(), margin),
                                100 * std::expm1(look.counts().value), 100 * std::expm1(look.from()),
                                100 * std::expm1(look.to()));
        lines.push_back(line + state_of(standing, course.comparison, titles));
    }
    return lines;
}

} // namespace mediarig::trial
