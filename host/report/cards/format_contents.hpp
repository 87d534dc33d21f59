// SPDX-License-Identifier: GPL-3.0-or-later
/// Describes the contents of a medium: its original contents, and each format that the campaign created. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/media/identity/deviation.hpp"
#include "host/report/tables/tables.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

struct FormatContents {
    std::string format; ///< as in PassRecord; empty for the initial content
    std::string title;  ///< "as it came", "exFAT", …; a second shape of a format includes its pass
    std::optional<media::InspectReport> seen;     ///< nothing if the inspector failed
    std::optional<media::FormatReport> formatted; ///< nothing for the initial content
    std::string standard;                         ///< reference of the comparison: "sound", or "sd"
    std::vector<media::Deviation> deviations;     ///< worst first
    Bytes capacity;                               ///< capacity of the medium
    Bytes usable;                                 ///< free space for files in all volumes; 0 if unknown
};

/// Returns the initial content, then each format in the order of creation. Repeated formats of the same shape (regions,
/// usable bytes, deviations) occur once.
[[nodiscard]] std::vector<FormatContents> contents_by_format(const store::DeviceView& device);

/// Returns true if the medium is known to be an SD card: its registers were read, it is in an SD host, or it came in
/// the SD layout. Behind a USB reader only the layout can be detected.
[[nodiscard]] bool is_sd(const store::DeviceRecord& device);

/// Returns "none (blank)" or "none (unknown data)" for a medium that came without a partition table and file system and
/// was read without an error; otherwise empty.
[[nodiscard]] std::string no_format_text(const FormatContents& content);

/// Returns the name of a parameter for display: "cluster heap offset" for "cluster_heap_offset", "FAT length".
[[nodiscard]] std::string parameter_text(std::string name);
/// Returns "2 warnings, 1 note", or "none".
[[nodiscard]] std::string counted(const std::vector<media::Deviation>& deviations);
/// Returns the start of the first volume for files: "16777216 (16 MiB)"; "bare" without a partition table; "–" if
/// unknown.
[[nodiscard]] std::string starts_at(const media::InspectReport& seen);

/// Returns capacity, usable bytes, share and layout by device and format; nothing if no medium was inspected.
[[nodiscard]] std::optional<Table> usable_table(const store::CampaignView& campaign);

} // namespace mediarig::report
