// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/resume.hpp"

#include <set>

#include "host/session/step_keys.hpp"

namespace mediarig::session {
namespace {

using plan::Step;
using plan::StepKind;

bool is_done(const Step& step, const Journal& journal) {
    const auto found = journal.find(step.key);
    return found != journal.end() && found->second.state == store::StepState::done;
}

} // namespace

std::vector<bool> done_before(const std::vector<Step>& steps, const Journal& journal) {
    std::set<std::string> unfinished_formats;
    std::set<std::size_t> unfinished_media;
    for (const Step& step : steps) {
        if (is_done(step, journal)) continue;
        // Letting go of a medium is part of ending, not of what was tested.
        if (step.kind == StepKind::release || step.kind == StepKind::unload) continue;
        unfinished_media.insert(step.medium);
        if (belongs_to_format(step)) unfinished_formats.insert(format_part(step));
    }

    std::vector<bool> skip;
    skip.reserve(steps.size());
    for (const Step& step : steps) {
        if (!unfinished_media.contains(step.medium))
            skip.push_back(true);
        else if (!belongs_to_format(step))
            skip.push_back(false);
        else if (step.kind == StepKind::run)
            skip.push_back(is_done(step, journal));
        else
            skip.push_back(!unfinished_formats.contains(format_part(step)));
    }
    return skip;
}

} // namespace mediarig::session
