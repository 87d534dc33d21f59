// SPDX-License-Identifier: GPL-3.0-or-later
/// Figures and names for display: MB/s and GB are decimal, KB of block sizes is 2^10 bytes.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"
#include "host/base/text.hpp"
#include "host/media/identity/title.hpp"
#include "host/store/record.hpp"
#include "host/workload/titles.hpp"

namespace mediarig::report {

/// Returns "S.Read", "S.Write", "R.Read" or "R.Write": the columns of a block-size table.
[[nodiscard]] std::string_view column_title(workload::Access access);
/// Returns "sequential read", ….
[[nodiscard]] std::string_view text_for(workload::Access access);
/// Returns the verb for a medium: "reads", "writes", "reads at random", "writes at random".
[[nodiscard]] std::string_view verb_for(workload::Access access);
/// Returns "QuickBench" for "quickbench"; the names of suites without a published original are unchanged.
[[nodiscard]] std::string suite_title(std::string_view suite);
/// Returns true if a pass of that format works on the raw device.
[[nodiscard]] bool is_raw(std::string_view format);
/// format_title() is plan::title_of_format: "exFAT" for "exfat", "exFAT-2" for "exfat-2".
[[nodiscard]] std::string format_title(std::string_view format);
using workload::block_title;
/// Returns "retest of campaign ID"; empty for a campaign that is no retest.
[[nodiscard]] std::string retest_text(const store::CampaignRecord& campaign);
/// Returns "85 µs", "1.24 ms", "2.50 s".
[[nodiscard]] std::string latency_text(std::chrono::nanoseconds time);
/// Returns "1 h 02 min", "4 min 10 s", "12 s".
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds time);
using media::model_text;
/// Returns "64.4 GB", or "29.2 GB free" for a directory, which has no size.
[[nodiscard]] std::string medium_size_text(const media::Medium& medium);
/// Returns "SanDisk Extreme Pro, 63.9 GB, USB 5000 Mbit/s uas".
[[nodiscard]] std::string identity_text(const media::Medium& medium);

/// Escapes text from users and media for HTML: printable(), with & < > " ' as entities: valid in HTML text and quoted
/// attributes.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// Returns one line with its end (RFC 4180), with cells quoted if necessary, in printable UTF-8 (see
/// host/base/text.hpp).
///
/// Spreadsheets interpret text that begins with = + - or @ as a formula, and would execute text from media and users.
/// Such a cell gets a leading apostrophe, with which a spreadsheet shows the cell as text. Parts after a semicolon also
/// get an apostrophe, because a semicolon begins a new cell in spreadsheets of some languages. Numbers are unchanged,
/// negative ones too. Source: OWASP, "CSV Injection".
[[nodiscard]] std::string csv_row(std::span<const std::string> cells);

/// Loads the members of a device that an outline (Store::outline) omits. Devices are loaded one after the other: a
/// thousand do not fit into memory at once, and the verdicts contain the results of most. The device keeps its identity
/// and its position. Fails as Store::load_device.
using LoadDevice = std::function<Result<void>(store::DeviceView& device)>;

/// Maximum number of devices with charts, tables and details.
inline constexpr std::size_t most_detailed = 12;

/// Returns the campaign with only these devices, in this order.
[[nodiscard]] inline store::CampaignView only(store::CampaignView&& campaign, const std::vector<std::size_t>& devices) {
    store::CampaignView view{.campaign = std::move(campaign.campaign), .devices = {}};
    for (const std::size_t device : devices) view.devices.push_back(std::move(campaign.devices[device]));
    return view;
}

/// Reduces a device to the members that an outline has.
inline void forget(store::DeviceView& device) {
    store::DeviceView outline{.device = std::move(device.device),
                              .passes = {},
                              .made = {},
                              .checks = {},
                              .findings = {},
                              .untested = {},
                              .verdict = std::move(device.verdict)};
    outline.device.found.reset();
    device = std::move(outline);
}

} // namespace mediarig::report
