// SPDX-License-Identifier: GPL-3.0-or-later
/// Read-only consistency check of an HFS+ volume: both volume headers, journal, the nodes of the three B-trees with
/// links, keys and maps, every catalog record with its thread, counts, and each block of every fork against the
/// allocation file. Source: Apple, Technical Note TN1150. docs/reference/formats.md lists the omissions.
#pragma once

#include <string>
#include <vector>

#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media::hfsplus {

struct CheckOutcome {
    std::vector<std::string> problems; ///< each names the structure, and the field or the block; at most 48
    std::uint64_t unlisted{};          ///< problems beyond those
    std::uint64_t files{}, folders{};  ///< found in the catalog, without the root folder
    std::uint64_t used_blocks{}, total_blocks{};

    [[nodiscard]] bool clean() const { return problems.empty(); }
    bool operator==(const CheckOutcome&) const = default;
};

/// `start` and `length`: the partition, or the whole medium. What cannot be read is a problem like any other. Needs
/// memory for each record of the catalog and each extent that the medium really holds.
[[nodiscard]] CheckOutcome check_volume(const MediumReader& medium, Bytes start, Bytes length);

/// As people read it: the problems, or one line that says what was found; at most 50 lines.
[[nodiscard]] std::vector<std::string> lines_of(const CheckOutcome& outcome);

} // namespace mediarig::media::hfsplus
