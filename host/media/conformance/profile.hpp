// SPDX-License-Identifier: GPL-3.0-or-later
/// Required contents of a medium. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/deviation.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {

/// One required value.
struct RequiredValue {
    std::string name; ///< name of a parameter; or "start", "length", "file_system", "label"
    std::string value;
    DeviationSeverity severity{DeviationSeverity::warning};
    bool operator==(const RequiredValue&) const = default;
};

/// A manufacturer's profile, taken from a golden medium. JSON: docs/schemas/profile.schema.json.
struct Profile {
    std::string name;
    std::optional<Bytes> size; ///< size of the medium; unset: any size
    std::string scheme;
    /// Volumes in the order of the partition table; unset: any volumes.
    std::optional<std::vector<std::vector<RequiredValue>>> volumes;
    bool operator==(const Profile&) const = default;
};

/// All values of a golden medium that are the same on every medium of its kind: without serials, UUIDs, dates, or
/// counts of free space.
[[nodiscard]] Profile profile_from(const InspectReport& golden, std::string name);
[[nodiscard]] nlohmann::json to_json(const Profile& profile);
/// Fails with bad_request: "PATH: reason", PATH as a JSON pointer, and the number of further faults.
[[nodiscard]] Result<Profile> profile_from_json(std::string_view text);

[[nodiscard]] std::vector<Deviation> deviations_from(const Profile& profile, const InspectReport& report);

} // namespace mediarig::media
