// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign as one HTML page that needs nothing else: no network, no other file, no script. Pure.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// What every page and certificate begins with, and hardly another file.
inline constexpr std::string_view page_begins =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"generator\" "
    "content=\"mediarig\">\n";

struct PageOptions {
    store::TimePoint made{}; ///< said of a campaign that is running: what follows holds for then
    std::size_t media{};     ///< of the plan: also those that were never begun; 0: only chosen devices are told of
};

/// The answer first, what it rests on in folds below. Of more than `most_detailed` devices the page tells all of the
/// worst, and the lot stands first: a page of a thousand devices stays below 5 MB. Its content policy forbids every
/// request and every script. Everything that people or media say is escaped. Each device that is answered for is loaded
/// once. Fails as `load`.
[[nodiscard]] Result<std::string> render_html(store::CampaignView&& outline, const LoadDevice& load,
                                              const PageOptions& options = {});

} // namespace mediarig::report
