// SPDX-License-Identifier: GPL-3.0-or-later
/// What each uplink of a machine was seen to carry when several media used it at once. Pure; the file's form is JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::uplink {

struct Ceiling {
    std::string machine; ///< of the agent, as it calls itself
    std::string uplink;  ///< named as in media::Medium::uplinks
    double bytes_per_second{};
    unsigned media{};        ///< that were at work on it
    std::string measured_on; ///< "2026-11-25", UTC
    bool operator==(const Ceiling&) const = default;
};

/// Media are measured side by side up to this part of what the uplink carries.
inline constexpr double admitted_part = 0.7;

/// Those of `newer` in place of older ones of the same uplink.
void take_over(std::vector<Ceiling>& all, const std::vector<Ceiling>& newer);

[[nodiscard]] nlohmann::json to_json(const std::vector<Ceiling>& all);
/// Fails with bad_request: "PLACE: reason" of the first fault. An empty text has none.
[[nodiscard]] Result<std::vector<Ceiling>> parse_ceilings(std::string_view text);

} // namespace mediarig::uplink
