// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/resume.hpp"

#include <set>

#include "host/rig/sorted.hpp"
#include "host/session/step_keys.hpp"

namespace mediarig::session {
namespace {

using plan::Step;
using plan::StepKind;

bool is_done(const Step& step, const Journal& journal) {
    const auto found = journal.find(step.key);
    return found != journal.end() && found->second.state == store::StepState::done;
}

/// Media that a rig has put into a bin. Whatever was not tested on them, they are not there any more.
std::set<std::size_t> sorted_media(const std::vector<Step>& steps, const Journal& journal) {
    std::set<std::size_t> sorted;
    for (const Step& step : steps) {
        if (step.kind != StepKind::unload || !is_done(step, journal)) continue;
        if (journal.at(step.key).detail.starts_with(rig::into_a_bin)) sorted.insert(step.medium);
    }
    return sorted;
}

} // namespace

std::vector<bool> done_before(const std::vector<Step>& steps, const Journal& journal) {
    std::set<std::string> unfinished_formats;
    std::set<std::size_t> unfinished_media;
    const std::set<std::size_t> sorted = sorted_media(steps, journal);
    for (const Step& step : steps) {
        if (is_done(step, journal) || sorted.contains(step.medium)) continue;
        // Letting go of a medium is part of ending, not of what was tested.
        if (step.kind == StepKind::release || step.kind == StepKind::unload) continue;
        unfinished_media.insert(step.medium);
        if (belongs_to_format(step)) unfinished_formats.insert(format_part(step));
    }

    std::vector<bool> skip;
    skip.reserve(steps.size());
    for (const Step& step : steps) {
        if (!unfinished_media.contains(step.medium))
            // Judged, and perhaps still in its reader: it is put away, and nothing else is done with it.
            skip.push_back(step.kind != StepKind::unload || is_done(step, journal));
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
