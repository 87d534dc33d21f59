// SPDX-License-Identifier: GPL-3.0-or-later
/// Figures and names as people read them: MB/s and GB are decimal, KB of block sizes is 2^10 bytes.
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
#include "host/store/record.hpp"
#include "host/workload/names.hpp"

namespace mediarig::report {

/// "S.Read", "S.Write", "R.Read", "R.Write": the columns of a block-size table.
[[nodiscard]] std::string_view column_title(workload::Access access);
/// "sequential read", …
[[nodiscard]] std::string_view text_for(workload::Access access);
/// What a medium does there: "reads", "writes", "reads at random", "writes at random".
[[nodiscard]] std::string_view verb_for(workload::Access access);
/// "QuickBench" for "quickbench"; suites without a published original as they are.
[[nodiscard]] std::string suite_title(std::string_view suite);
/// Whether a pass of that format works on the bare device.
[[nodiscard]] bool is_raw(std::string_view format);
/// plan::title_of_format: "exFAT" for "exfat", "exFAT-2" for "exfat-2".
[[nodiscard]] std::string format_title(std::string_view format);
using workload::block_title;
/// "85 µs", "1.24 ms", "2.50 s".
[[nodiscard]] std::string latency_text(std::chrono::nanoseconds time);
/// "2026-11-20 21:04:05 UTC".
[[nodiscard]] std::string time_text(store::TimePoint time);
/// "1 h 02 min", "4 min 10 s", "12 s".
[[nodiscard]] std::string duration_text(std::chrono::nanoseconds time);
/// "SanDisk Extreme Pro": the vendor once, where the model begins with it, too.
[[nodiscard]] std::string model_text(const media::Medium& medium);
/// "64.4 GB"; of a directory "29.2 GB free": it has no size of its own.
[[nodiscard]] std::string medium_size_text(const media::Medium& medium);
/// "SanDisk Extreme Pro, 63.9 GB, USB 5000 Mbit/s uas".
[[nodiscard]] std::string identity_text(const media::Medium& medium);

/// Text from people and media, made safe for where it is going. A medium may call itself anything.

/// printable(), with & < > " ' as entities: fit for HTML text and quoted attributes.
[[nodiscard]] std::string html_escaped(std::string_view text);

/// The one way in which CSV is written here.

/// One line with its end (RFC 4180), each cell in quotes where it needs them, in printable UTF-8 (see
/// host/base/text.hpp).
///
/// Spreadsheets take text that begins with = + - or @ for a formula, and what media and people call themselves would
/// run there. Such a cell gets an apostrophe in front, which a spreadsheet shows as text. So do parts behind a
/// semicolon, at which a spreadsheet of another language begins a new cell. Numbers stay as they are, negative ones
/// too. Source: OWASP, "CSV Injection".
[[nodiscard]] std::string csv_row(std::span<const std::string> cells);

/// A campaign whose devices are read one after the other: a thousand of them do not fit into memory at once, and the
/// answer about most of them stands in their verdicts.

/// Fills in of one device of an outline (Store::outline) what the outline leaves out. It keeps its identity and its
/// place. Fails as Store::load_device.
using LoadDevice = std::function<Result<void>(store::DeviceView& device)>;

/// Of so many devices are charts, tables and what the numbers rest on.
inline constexpr std::size_t most_detailed = 12;

/// The campaign with these devices alone, in this order.
[[nodiscard]] inline store::CampaignView only(store::CampaignView&& campaign, const std::vector<std::size_t>& devices) {
    store::CampaignView view{.campaign = std::move(campaign.campaign), .devices = {}};
    for (const std::size_t device : devices) view.devices.push_back(std::move(campaign.devices[device]));
    return view;
}

/// Back to what an outline holds.
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
