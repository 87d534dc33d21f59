// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/session/summary.hpp"

#include <algorithm>

namespace mediarig::session {

int exit_status(const Summary& summary) {
    const auto any = [&](auto... grades) {
        return std::any_of(summary.grades.begin(), summary.grades.end(),
                           [&](const MediumGrade& medium) { return ((medium.grade == grades) || ...); });
    };
    using measure::Grade;
    if (summary.state != store::CampaignState::finished) return 3;
    if (any(Grade::fail, Grade::fake, Grade::marginal)) return 1;
    if (any(Grade::inconclusive)) return 3;
    return 0;
}

} // namespace mediarig::session
