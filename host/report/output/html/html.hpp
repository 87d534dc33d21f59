// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a campaign as one self-contained HTML page, which uses no network, no other file and no script. Pure.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// Every page and certificate begins with this text, which identifies the kind of file.
inline constexpr std::string_view page_begins =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"generator\" "
    "content=\"mediarig\">\n";

struct PageOptions {
    store::TimePoint made{}; ///< shown for a running campaign: the time of this state
    std::size_t media{};     ///< number in the plan, with media never begun; 0 if the page shows only selected devices
};

/// The results come first, followed by their data in folds. For more than `most_detailed` devices, the page shows
/// details only of the worst and begins with the lot: a page about a thousand devices stays below 5 MB. Its content
/// policy forbids every request and script. All text from users and media is escaped. Each device with a card is loaded
/// once. Fails as `load`.
[[nodiscard]] Result<std::string> render_html(store::CampaignView&& outline, const LoadDevice& load,
                                              const PageOptions& options = {});

} // namespace mediarig::report
