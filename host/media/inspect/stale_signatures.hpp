// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds signatures of earlier formats that were not wiped: at the ends of the medium, before partitions, and at the
/// usual positions in other partition tables. Other systems may mistake them for the current contents.
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"

namespace mediarig::media {

/// A volume in use; signatures at its own positions are not stale.
struct KnownVolume {
    Bytes start, length;
    std::string file_system; ///< as in InspectedVolume; empty: unknown contents, which explain no signature
};

/// Starts of volumes in the common partition tables; searched on every medium.
[[nodiscard]] std::vector<Bytes> usual_volume_starts();

/// `scheme`: see PartitionTable. Results are in ascending order of their offsets. Skips unreadable ranges, which the
/// readers of tables and volumes report.
[[nodiscard]] std::vector<StaleSignature> find_stale_signatures(const MediumReader& medium, Bytes sector,
                                                                const std::string& scheme,
                                                                const std::vector<KnownVolume>& volumes);

} // namespace mediarig::media
