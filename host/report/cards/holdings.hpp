// SPDX-License-Identifier: GPL-3.0-or-later
/// What a medium held: as it came, and each format that the campaign made of it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/media/identity/deviation.hpp"
#include "host/report/tables/tables.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

struct Holding {
    std::string format; ///< as in PassRecord; empty for what it held when it came
    std::string title;  ///< "as it came", "exFAT", …; a second shape of a format includes its pass
    std::optional<media::InspectReport> seen;     ///< nothing where the inspector could not look
    std::optional<media::FormatReport> formatted; ///< nothing for what it held when it came
    std::string expectation;                      ///< what it was compared with: "sound", or "sd"
    std::vector<media::Deviation> deviations;     ///< worst first
    Bytes capacity;                               ///< of the medium
    Bytes usable;                                 ///< free for files in all volumes; 0 where nobody knows
};

/// As it came first, then each format in the order in which it was made. Formats that were made again in the same shape
/// (regions, usable bytes, deviations) stand once.
[[nodiscard]] std::vector<Holding> holdings_of(const store::DeviceView& device);

/// Whether the medium is known to be an SD card: its registers were read, it sits in an SD host, or it came in the
/// SD layout. A reader on USB hides all but the last.
[[nodiscard]] bool is_sd(const store::DeviceRecord& device);

/// "none (blank)", "none (unknown data)": how a medium came that has no partition table and no file system, and was
/// read without an error. Empty for all others: these have a format to speak of.
[[nodiscard]] std::string no_format_text(const Holding& holding);

/// A parameter's name as people write it: "cluster heap offset" for "cluster_heap_offset", "FAT length".
[[nodiscard]] std::string parameter_text(std::string name);
/// "2 warnings, 1 note"; "none".
[[nodiscard]] std::string counted(const std::vector<media::Deviation>& deviations);
/// Of the first volume for files: "16777216 (16 MiB)"; "bare" where there is no partition table; "–" where nothing is
/// known.
[[nodiscard]] std::string starts_at(const media::InspectReport& seen);

/// Per device and format: capacity, usable bytes, share, and how it is laid out. Nothing where no medium was looked at.
[[nodiscard]] std::optional<Table> usable_table(const store::CampaignView& campaign);

} // namespace mediarig::report
