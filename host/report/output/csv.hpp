// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a campaign as one CSV table (RFC 4180, UTF-8). It has a row for each cell of each pass, in the order of
/// execution.
#pragma once

#include <string>

#include "host/base/result.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// Begins with a header line. Columns keep their names and meanings; new ones are added at the end. Bytes, nanoseconds
/// and plain counts; a field that was not measured is empty. csv_row.hpp defines the text format.
[[nodiscard]] std::string render_csv(const store::CampaignView& campaign);
/// Renders an outline, whose devices are loaded one after the other. Fails as `load`.
[[nodiscard]] Result<std::string> render_csv(store::CampaignView&& outline, const LoadDevice& load);

} // namespace mediarig::report
