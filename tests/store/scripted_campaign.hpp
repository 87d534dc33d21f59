// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign as a list of calls on a store, with every member of every record set at least once, and the store's
/// contents as comparable text.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/store/store.hpp"

namespace mediarig::store {

struct Call {
    std::string what;
    std::function<Result<void>(Store&)> make;
};

/// Two devices, three passes, five cells (two of them with raw logs of several chunks), an interruption with a repeated
/// pass and cell, findings, checks, gaps and verdicts. Deterministic.
[[nodiscard]] std::vector<Call> scripted_campaign(const std::string& id);

inline const std::string first_device = "usb-0781-5581-4C530001230715117180";
inline const std::string second_device = "image-slow.img-1f3a";

/// A cell with a histogram, a series and, for `samples` > 0, a raw log.
[[nodiscard]] workload::CellResult scripted_cell(const std::string& id, std::size_t samples, std::uint64_t seed);

/// The complete view as JSON without the raw logs.
[[nodiscard]] std::string told(const CampaignView& view);
/// All contents of `store` for a campaign: the view, the last state of each step, every raw log. "nothing" if the store
/// has no such campaign, and the error if it fails otherwise.
[[nodiscard]] std::string told(Store& store, const std::string& campaign);

} // namespace mediarig::store
