// SPDX-License-Identifier: GPL-3.0-or-later
/// What is on a medium, read-only. Basic: partition scheme, file-system signature, and the parameters of exFAT, APFS
/// and HFS+.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/units.hpp"
#include "host/media/format/format.hpp"
#include "host/result.hpp"

namespace mediarig::media {

struct InspectedVolume {
    Bytes start, length;
    std::string file_system; ///< "exfat", "apfs", "hfs+", "hfs+j", "hfsx", "hfsx+j", "fat32", …; "" where none is known
    std::string label;
    std::vector<std::pair<std::string, std::string>> parameters;
    std::string problem; ///< empty, or what did not parse, with its offset
    bool operator==(const InspectedVolume&) const = default;
};
struct InspectReport {
    Bytes size;
    std::string scheme; ///< "none", "mbr", "gpt"
    std::vector<InspectedVolume> volumes;
    bool operator==(const InspectReport&) const = default;
};

/// Reads from an open descriptor; never writes. A medium that does not parse is a report with problems, not an error.
/// Fails with io_failed where nothing could be read.
[[nodiscard]] Result<InspectReport> inspect(int descriptor, Bytes size, std::uint32_t sector_size);

[[nodiscard]] nlohmann::json to_json(const InspectReport& report);
[[nodiscard]] Result<InspectReport> inspect_report_from_json(const nlohmann::json& json);

} // namespace mediarig::media
