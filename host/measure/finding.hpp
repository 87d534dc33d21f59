// SPDX-License-Identifier: GPL-3.0-or-later
/// Observations about a medium or about its measurement. Findings are part of the record; they are not errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"

namespace mediarig::measure {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(Severity, std::uint8_t,
                              note,    ///< for information; changes no verdict
                              warning, ///< the number may be misleading
                              fault    ///< the medium failed: damaged data, I/O error, missing capacity
)

BOOST_DEFINE_FIXED_ENUM_CLASS(
    FindingKind, std::uint8_t,
    io_error,           ///< the kernel returned an error for a transfer
    data_damaged,       ///< bytes read differ from the bytes written
    capacity_missing,   ///< the real capacity is less than the claimed one (wrapped, dropped)
    direct_refused,     ///< O_DIRECT was requested and refused; another policy was used
    cache_suspected,    ///< a cache served data: the device moved less than the test, or small blocks are faster
    cache_not_dropped,  ///< dropping the page cache was requested and failed
    flush_unavailable,  ///< the write cache could not be flushed
    misaligned,         ///< transfers are not aligned as the device requires
    short_transfer,     ///< a transfer moved fewer bytes than requested
    medium_lost,        ///< the medium disappeared, or no longer answered at any place
    medium_full,        ///< no space left for the test
    not_monotone,       ///< a cell of a sweep is outside the envelope of its neighbours
    driver_limit,       ///< a limitation of the driver (FUSE, journal not used, …)
    resumed,            ///< the pass was interrupted and continued
    check_failed,       ///< the file-system checker found faults
    identity_changed,   ///< the medium's identification differs from the earlier one, or from the operator's
    engine_punted,      ///< kernel threads executed requests of the async engine, and its latencies include their delay
    rate_unstable,      ///< the rate changed level during a cell (SLC cache, throttle)
    capacity_unclear,   ///< contradictory results about the real capacity; prevents PASS
    slow_region,        ///< part of the medium is much slower than the rest
    impossible_rate,    ///< faster than the link to the medium permits
    processor_bound,    ///< generating the payload took too large a part of the time
    throttled,          ///< the rate fell as for a medium that becomes hot
    position_dependent, ///< the rate changes steadily with the position on the medium
    latency_spikes,     ///< single operations took far longer than the others
    too_short,          ///< a cell was shorter than one pause of the medium
    single_pass,        ///< measured once: the scatter is unknown
    first_pass,         ///< the first pass differs from all later ones
    beside_others,      ///< other media on the same uplink were active during the test
    state_drift,        ///< the passes become steadily slower or faster
    compressible_data,  ///< zeros are written faster than incompressible data
    write_refused,      ///< the medium refuses writes, also where it accepted them before
    host_busy,          ///< other processes or guests of this host delayed the test
    data_dependent      ///< the rate depends on the written data
)

/// A finding as measured, sent and stored. A finding in the list of a pass or a cell belongs to that pass or cell.
struct Finding {
    FindingKind kind{};
    Severity severity{};
    std::string detail;            ///< one line: observation, probable cause, remedy
    std::optional<Bytes> offset{}; ///< on the medium or in the test files, if the finding has a place
    Bytes length{};                ///< extent of that place; for several places their sum; 0 without a place
    std::optional<Bytes> end{};    ///< end of the last of several places; empty for one place
    std::uint64_t count{1};        ///< number of identical observations
    std::string pass{};            ///< id of the pass, set when it is recorded; empty: about the device
    std::string cell{};            ///< id of the cell; empty: about the pass
    bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

/// Returns the end of the last place of a finding. Requires an offset.
[[nodiscard]] inline Bytes end_of(const Finding& finding) {
    return finding.end.value_or(*finding.offset + finding.length);
}

/// Returns true if findings of this kind are only a consequence after a pass has lost the medium: kernels and bridges
/// return errors for transfers to a missing medium for a while before they report its removal.
[[nodiscard]] constexpr bool accompanies_loss(FindingKind kind) {
    return kind == FindingKind::io_error || kind == FindingKind::short_transfer || kind == FindingKind::check_failed ||
           kind == FindingKind::flush_unavailable;
}

} // namespace mediarig::measure
