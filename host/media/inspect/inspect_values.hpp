// SPDX-License-Identifier: GPL-3.0-or-later
/// What an inspection found: values, shared by both halves.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/media/forms.hpp"
#include "host/media/inspect/fingerprint_value.hpp"
#include "host/media/inspect/place.hpp"
#include "host/media/inspect/stale_signature.hpp"
#include "host/media/inspect/unread.hpp"
#include "host/result.hpp"

namespace mediarig::media {

struct InspectedVolume {
    Bytes start, length;
    /// "exfat", "apfs", "hfs+", "hfs+j", "hfsx", "hfsx+j", "fat32", …; "" where none is known. Those of signature.hpp
    /// are named and not taken to pieces.
    std::string file_system;
    std::string label;
    std::vector<std::pair<std::string, std::string>> parameters; ///< of the partition, then of the file system
    std::string problem;                                         ///< empty, or what did not parse, with its offset
    Places places;                                               ///< one for each parameter
    Bytes usable;                                                ///< free for files; 0 where it is not known
    Fingerprint fingerprint;
    bool operator==(const InspectedVolume&) const = default;
};
struct InspectReport {
    Bytes size;
    std::string scheme; ///< "none", "mbr", "gpt"
    std::vector<InspectedVolume> volumes;
    std::uint32_t sector_size{512};
    std::vector<std::pair<std::string, std::string>> parameters; ///< of the partition table
    Places places;                                               ///< one for each of them
    std::string problem;                                         ///< of the partition table
    bool blank{false}; ///< nothing is known to begin anywhere, and both ends hold nothing but zeros or FF
    std::vector<StaleSignature> stale_signatures;
    Bytes read;                 ///< from the medium, to find all this out
    std::vector<Unread> unread; ///< what the medium did not give; nothing that is reported rests on it
    bool operator==(const InspectReport&) const = default;
};

/// The value of a parameter; nothing where there is none of that name.
[[nodiscard]] std::optional<std::string> parameter(const InspectedVolume& volume, std::string_view name);

[[nodiscard]] nlohmann::json to_json(const InspectReport& report);
/// Members that older reports do not have may be missing.
[[nodiscard]] Result<InspectReport> inspect_report_from_json(const nlohmann::json& json);
// As in host/media/forms.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, InspectReport& report, codec::Fault& fault);
void check_form(const InspectReport& report, const codec::Path& at, codec::Fault& fault);

} // namespace mediarig::media
