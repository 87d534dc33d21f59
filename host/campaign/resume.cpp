// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/resume.hpp"

#include <algorithm>
#include <set>

namespace mediarig::campaign {
using plan::Step;
using plan::StepKind;

bool is_done(const Step& step, const Journal& journal) {
    const auto found = journal.find(step.key);
    return found != journal.end() &&
           (found->second.state == store::StepState::done || found->second.state == store::StepState::sorted);
}

bool all_done(const std::vector<Step>& steps, const Journal& journal) {
    return std::all_of(steps.begin(), steps.end(), [&](const Step& step) { return is_done(step, journal); });
}

namespace {

bool is_sorting(const Step& step, const Journal& journal) {
    const auto found = journal.find(step.key);
    return found != journal.end() && found->second.state == store::StepState::sorted;
}

} // namespace

bool is_sorted(const std::vector<Step>& steps, const Journal& journal) {
    return std::any_of(steps.begin(), steps.end(), [&](const Step& step) { return is_sorting(step, journal); });
}

std::vector<bool> done_before(const std::vector<Step>& steps, const Journal& journal) {
    std::set<std::string> unfinished_formats;
    std::set<std::size_t> unfinished_media;
    std::set<std::size_t> sorted;
    for (const Step& step : steps)
        if (is_sorting(step, journal)) sorted.insert(step.medium);
    for (const Step& step : steps) {
        if (is_done(step, journal) || sorted.contains(step.medium)) continue;
        // Releasing a medium is part of the clean-up, not of testing.
        if (step.kind == StepKind::release || step.kind == StepKind::unload) continue;
        unfinished_media.insert(step.medium);
        if (traits_of(step.kind).of_group()) unfinished_formats.insert(group_key(step));
    }

    std::vector<bool> skip;
    skip.reserve(steps.size());
    for (const Step& step : steps) {
        if (!unfinished_media.contains(step.medium))
            // The medium is judged but perhaps still in its reader: only unload it.
            skip.push_back(step.kind != StepKind::unload || is_done(step, journal));
        else if (!traits_of(step.kind).of_group())
            skip.push_back(false);
        else if (step.kind == StepKind::run)
            skip.push_back(is_done(step, journal));
        else
            skip.push_back(!unfinished_formats.contains(group_key(step)));
    }
    return skip;
}

} // namespace mediarig::campaign
