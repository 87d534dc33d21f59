// SPDX-License-Identifier: GPL-3.0-or-later
/// What is on a medium, read-only: partition table, file systems with every parameter and the place of its bytes, who
/// formatted it, and what former formats left behind.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/media/format/format.hpp"
#include "host/media/inspect/fingerprint_value.hpp"
#include "host/media/inspect/leftovers.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/place.hpp"
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
    std::vector<Leftover> leftovers;
    Bytes read;                 ///< from the medium, to find all this out
    std::vector<Unread> unread; ///< what the medium did not give; nothing that is reported rests on it
    bool operator==(const InspectReport&) const = default;
};

/// However large the medium is: what lies beyond is in InspectReport::unread.
inline constexpr Bytes most_read_by_inspect = 64_MiB;

/// Reads from an open descriptor; never writes. A medium that does not parse is a report with problems, not an error.
/// Fails with io_failed where sector 0 cannot be read and nothing else tells what the medium holds, bad_format where
/// the medium is too small to hold anything.
[[nodiscard]] Result<InspectReport> inspect(int descriptor, Bytes size, std::uint32_t sector_size);

[[nodiscard]] Result<InspectReport> inspect(MediumReader medium, std::uint32_t sector_size);

/// The value of a parameter; nothing where there is none of that name.
[[nodiscard]] std::optional<std::string> parameter(const InspectedVolume& volume, std::string_view name);

[[nodiscard]] nlohmann::json to_json(const InspectReport& report);
/// Members that older reports do not have may be missing.
[[nodiscard]] Result<InspectReport> inspect_report_from_json(const nlohmann::json& json);

} // namespace mediarig::media
