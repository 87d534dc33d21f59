// SPDX-License-Identifier: GPL-3.0-or-later
/// A scan as text: for a terminal, as CSV and as a list of bad blocks. Pure.
#pragma once

#include <string>
#include <vector>

#include "host/media/conformance/layout.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/scan_comparison.hpp"

namespace mediarig::report {

/// Returns the use of the byte according to the file system: "exfat: cluster heap"; empty if `layout` does not contain
/// it.
[[nodiscard]] std::string use_of(const std::vector<media::Region>& layout, Bytes offset);

/// Returns a map, the rate in 16 parts of the medium, and the weak places with their use and files. `layout` may be
/// empty.
[[nodiscard]] std::string scan_text(const workload::ScanReport& scan, const std::vector<media::Region>& layout,
                                    unsigned width);

/// Returns the causes of the weak places of two scans, with the number of places of each cause, and the first 20
/// places.
[[nodiscard]] std::string scan_comparison_text(const std::vector<workload::ComparedPlace>& places, unsigned width);

/// First bytes of scan_csv().
inline constexpr const char* scan_csv_begins = "kind,offset,length,";
/// Returns a row per region and per weak place.
[[nodiscard]] std::string scan_csv(const workload::ScanReport& scan, const std::vector<media::Region>& layout);

/// Returns the unreadable blocks of 1,024 bytes, one number per line, as badblocks prints them.
[[nodiscard]] std::string badblocks_list(const workload::ScanReport& scan);

} // namespace mediarig::report
