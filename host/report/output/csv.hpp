// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a campaign as CSV tables (RFC 4180, UTF-8). csv_row() defines the text format.
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// A row for each cell of each pass, in the order in which they ran; a device without a cell has one row. Begins with a
/// header line. Columns keep their names and meanings; new ones are added at the end. Bytes, nanoseconds and plain
/// counts; a field that was not measured is empty.
[[nodiscard]] std::string render_csv(const store::CampaignView& campaign);
/// Renders an outline, whose devices are loaded one after the other. Fails as `load`.
[[nodiscard]] Result<std::string> render_csv(store::CampaignView&& outline, const LoadDevice& load);

/// First columns of each table of render_list().
inline constexpr std::string_view list_begins = "campaign,device_name,pass_id,cell_id,record,";
/// One list of results.schema.json as a table: a row for each element, a column for each member that an element has.
/// `record` is the position of the element as a JSON pointer. The list is named by its members within the device, pass
/// or cell that contains it: "devices", "findings", "end.verify.damaged", "found.volumes.parameters". Fails as `load`,
/// and with bad_request and the names of all lists if the campaign has no list of this name.
[[nodiscard]] Result<std::string> render_list(store::CampaignView&& outline, const LoadDevice& load,
                                              std::string_view list);

} // namespace mediarig::report
