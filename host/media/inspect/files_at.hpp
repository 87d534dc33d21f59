// SPDX-License-Identifier: GPL-3.0-or-later
/// Names the files and folders whose data are at given places of a medium: exFAT, FAT, HFS+. Reads folders and chains
/// of clusters, no contents of files. Trusts no byte. Sources: Microsoft, "exFAT file system specification", section 7;
/// Microsoft, "FAT32 File System Specification", "FAT Directory Structure"; Apple, TN1150, "Catalog File".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

struct MediumRange {
    Bytes start, length;
};

/// Files in a range. Folders end with '/'.
struct FilesInRange {
    std::vector<std::string> paths; ///< "/DCIM/A.MOV"; at most `most`
    std::uint64_t more{};           ///< further files
    static constexpr std::size_t most = 4;
    bool operator==(const FilesInRange&) const = default;
};

struct FileSearch {
    std::vector<FilesInRange> ranges; ///< one for each given range, in its order
    /// Volumes with a given range whose files are not all known, one line each: "apfs: the files of this file system
    /// are not named".
    std::vector<std::string> gaps;
};

/// Bytes that a search reads at most.
inline constexpr Bytes most_read_for_files{std::uint64_t{1} << 30};

/// `ranges`: ascending, without overlaps. `report`: of the same medium. The reader limits the search.
[[nodiscard]] FileSearch files_at(const MediumReader& medium, const InspectReport& report,
                                  std::span<const MediumRange> ranges);

} // namespace mediarig::media
