// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign as one HTML page that needs nothing else: no network, no other file, no script. Pure.
#pragma once

#include <string>

#include "host/store/record.hpp"

namespace mediarig::report {

/// The answer first, what it rests on in folds below. Its content policy forbids every request and every script.
/// Everything that people or media say is escaped.
[[nodiscard]] std::string render_html(const store::CampaignView& campaign);

} // namespace mediarig::report
