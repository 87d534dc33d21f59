// SPDX-License-Identifier: GPL-3.0-or-later
/// Describes the difference between two formats, as a JSON change and as text. Internal to host/plan.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mediarig::plan {

/// Returns the merge patch (RFC 7396) that converts `from` to `to`; both are objects.
[[nodiscard]] nlohmann::json change_between(const nlohmann::json& from, const nlohmann::json& to);

/// E.g. "cluster size 4 KiB", "HFS+", "partition start 31.5 KiB, partition table mbr", "no label".
[[nodiscard]] std::string text_of(const nlohmann::json& change);

} // namespace mediarig::plan
