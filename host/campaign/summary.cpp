// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/summary.hpp"

#include <algorithm>

namespace mediarig::campaign {

int exit_status(const Summary& summary) {
    // If some medium was tested, part of the request was valid.
    const int left = summary.status_of_left == 2 && !summary.grades.empty() ? 3 : summary.status_of_left;
    const bool finished = summary.state == store::CampaignState::finished;
    if (!finished && !summary.incomplete) return left;
    const auto any = [&](int status) {
        return std::ranges::any_of(
            summary.grades, [&](const MediumGrade& medium) { return measure::exit_status(medium.grade) == status; });
    };
    if (any(1)) return 1;
    if (!finished) return left;
    return any(3) ? 3 : 0;
}

} // namespace mediarig::campaign
