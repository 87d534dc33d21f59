// SPDX-License-Identifier: GPL-3.0-or-later
/// Signatures of former formats that nobody wiped: at the ends, in front of partitions, where other tables would have
/// put their partitions. Other systems may mistake them for what the medium holds now.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

/// A volume that explains the signatures at its own places.
struct Explained {
    Bytes start, length;
    std::string file_system; ///< as in InspectedVolume; empty: nothing known, so nothing explained
};

/// Where the tables of all makers begin their volumes, on the medium: looked at on every medium.
[[nodiscard]] std::vector<Bytes> usual_volume_starts();

/// `scheme` as in PartitionTable. In the order of their places. A place that cannot be read is left out: the readers
/// of tables and volumes tell of it.
[[nodiscard]] std::vector<StaleSignature> find_stale_signatures(const MediumReader& medium, Bytes sector,
                                                                const std::string& scheme,
                                                                const std::vector<Explained>& volumes);

} // namespace mediarig::media
