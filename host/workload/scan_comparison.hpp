// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares two scans of one medium in two readers: is the medium or a reader at fault? Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/base/result.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

/// The part that causes a weak place.
BOOST_DEFINE_FIXED_ENUM_CLASS(ScanFault, std::uint8_t,
                              medium,       ///< weak in both readers
                              this_reader,  ///< weak in the first scan only
                              other_reader, ///< weak in the second scan only
                              undecided     ///< the other scan did not read the place
)

struct ComparedPlace {
    Bytes offset, length;
    std::optional<PlaceState> here, there; ///< unset: not read
    ScanFault fault{};
    bool operator==(const ComparedPlace&) const = default;
};

/// The decision table of docs/reference/method.md; at least one state is slow or unreadable.
[[nodiscard]] ScanFault fault_of(std::optional<PlaceState> here, std::optional<PlaceState> there);

/// All weak places of both scans, in ascending order. A place that is weak in both scans appears once, with the extent
/// of the first scan. Fails with bad_request if the scans have different sizes.
[[nodiscard]] Result<std::vector<ComparedPlace>> compare_scans(const ScanReport& here, const ScanReport& there);

} // namespace mediarig::workload
