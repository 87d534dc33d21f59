// SPDX-License-Identifier: GPL-3.0-or-later
/// Read-only consistency check of an HFS+ volume: both volume headers, journal, the nodes of the three B-trees with
/// links, keys and maps, every catalog record with its thread, counts, and each block of every fork compared with the
/// allocation file. Source: Apple, Technical Note TN1150. docs/reference/formats.md lists the omissions.
#pragma once

#include <string>
#include <vector>

#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media::hfsplus {

struct CheckOutcome {
    std::vector<std::string> problems; ///< each problem names the structure and the field or block; at most 48 problems
    std::uint64_t unlisted{};          ///< number of further problems
    std::uint64_t files{}, folders{};  ///< found in the catalog, without the root folder
    std::uint64_t used_blocks{}, total_blocks{};

    [[nodiscard]] bool clean() const { return problems.empty(); }
    bool operator==(const CheckOutcome&) const = default;
};

/// `start` and `length`: the partition, or the whole medium. Unreadable data is reported as a problem. Memory use grows
/// with the number of catalog records and extents on the medium.
[[nodiscard]] CheckOutcome check_volume(const MediumReader& medium, Bytes start, Bytes length);

/// Report for users: the problems, or one line with the result; at most 50 lines.
[[nodiscard]] std::vector<std::string> lines_of(const CheckOutcome& outcome);

} // namespace mediarig::media::hfsplus
