// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign as one HTML page that needs nothing else: no network, no other file. Pure.
#pragma once

#include <string>

#include "host/store/record.hpp"

namespace mediarig::report {

/// The page carries its data in one <script type="application/json" id="mediarig-data">: {"charts": […], "results": …},
/// the latter as results_json() with Detail::summary. Its content policy forbids every request. Everything that people
/// or media say is escaped.
[[nodiscard]] std::string render_html(const store::CampaignView& campaign);

} // namespace mediarig::report
