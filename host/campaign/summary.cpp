// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/summary.hpp"

#include <algorithm>

namespace mediarig::campaign {

int exit_status(const Summary& summary) {
    const auto any = [&](auto... grades) {
        return std::any_of(summary.grades.begin(), summary.grades.end(),
                           [&](const MediumGrade& medium) { return ((medium.grade == grades) || ...); });
    };
    using measure::Grade;
    // If some medium was tested, part of the request was valid.
    const int left = summary.status_of_left == 2 && !summary.grades.empty() ? 3 : summary.status_of_left;
    const bool finished = summary.state == store::CampaignState::finished;
    if (!finished && !summary.incomplete) return left;
    if (any(Grade::fail, Grade::fake, Grade::marginal)) return 1;
    if (!finished) return left;
    if (any(Grade::inconclusive)) return 3;
    return 0;
}

} // namespace mediarig::campaign
