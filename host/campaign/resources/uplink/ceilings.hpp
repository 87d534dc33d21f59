// SPDX-License-Identifier: GPL-3.0-or-later
/// Measured capacity of each uplink of a machine under use by several media. Pure; the file format is JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::uplink {

struct Ceiling {
    std::string machine; ///< name that the agent reports
    std::string uplink;  ///< name as in media::Medium::uplinks
    double bytes_per_second{};
    unsigned media{};        ///< number of active media
    std::string measured_on; ///< "2026-11-25", UTC
    bool operator==(const Ceiling&) const = default;
};

/// Media are measured in parallel up to this fraction of the capacity.
inline constexpr double admitted_part = 0.7;

/// Entries of `newer` replace existing entries for the same uplink.
void take_over(std::vector<Ceiling>& all, const std::vector<Ceiling>& newer);

[[nodiscard]] nlohmann::json to_json(const std::vector<Ceiling>& all);
/// Fails with bad_request and "PLACE: reason" of the first fault. An empty text contains no entries.
[[nodiscard]] Result<std::vector<Ceiling>> parse_ceilings(std::string_view text);

} // namespace mediarig::uplink
