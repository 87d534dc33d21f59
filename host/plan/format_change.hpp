// SPDX-License-Identifier: GPL-3.0-or-later
/// What one format has that another has not, as a change and in words. Inner part of host/plan.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mediarig::plan {

/// The merge patch (RFC 7396) that makes `to` of `from`, both objects.
[[nodiscard]] nlohmann::json change_between(const nlohmann::json& from, const nlohmann::json& to);

/// In the largest unit that leaves at most one decimal: "31.5 KiB", "4 MiB", "700 bytes".
[[nodiscard]] std::string binary_size_text(std::uint64_t bytes);

/// "cluster size 4 KiB", "HFS+", "partition start 31.5 KiB, partition table mbr", "no label".
[[nodiscard]] std::string text_of(const nlohmann::json& change);

} // namespace mediarig::plan
