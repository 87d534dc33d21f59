// SPDX-License-Identifier: GPL-3.0-or-later
/// What was noticed about a medium or about the way it was measured. Findings go into the record; they are not errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::measure {

enum class Severity : std::uint8_t {
    note,    ///< worth knowing; changes no verdict
    warning, ///< the number may not mean what it seems to mean
    fault,   ///< the medium failed: damaged data, I/O error, missing capacity
};

enum class FindingKind : std::uint8_t {
    io_error,           ///< the kernel returned an error for a transfer
    data_damaged,       ///< bytes read differ from the bytes written
    capacity_missing,   ///< the medium holds less than it claims (wrapped, dropped)
    direct_refused,     ///< O_DIRECT was asked for and refused; another policy was used
    cache_suspected,    ///< a cache answered: the device moved fewer bytes than the test, or small blocks are faster
    cache_not_dropped,  ///< dropping the page cache was asked for and did not happen
    flush_unavailable,  ///< the write cache could not be flushed
    misaligned,         ///< transfers are not aligned to what the device asks for
    short_transfer,     ///< a transfer moved fewer bytes than asked
    medium_lost,        ///< the medium vanished during the test
    medium_full,        ///< no space left where the test needed some
    not_monotone,       ///< a cell of a sweep stands outside the envelope of its neighbours
    driver_limit,       ///< what the driver cannot do (FUSE, journal not used, …)
    resumed,            ///< the pass was interrupted and continued
    check_failed,       ///< the file-system checker found something
    identity_changed,   ///< the medium says something else than before, or than the operator said
    engine_punted,      ///< the async engine was run by kernel workers; its latency includes theirs
    rate_unstable,      ///< the rate changed level during a cell (SLC cache, throttle)
    capacity_unclear,   ///< what was seen of the real capacity contradicts itself; keeps a medium from PASS
    slow_region,        ///< part of the medium is much slower than the rest
    impossible_rate,    ///< faster than the link to the medium can be
    processor_bound,    ///< making the payload took too large a part of the time
    throttled,          ///< the rate fell as it does for a medium that becomes hot
    position_dependent, ///< the rate changes steadily with the position on the medium
    latency_spikes,     ///< single operations that took far longer than the others
    too_short,          ///< a cell ended before one pause of the medium would have
    single_pass,        ///< measured once: nothing is known of the scatter
    first_pass,         ///< the first pass differs from all that came after it
    beside_others,      ///< other media were at work on the same uplink meanwhile
    state_drift,        ///< the passes become slower or faster one after the other
    compressible_data,  ///< zeros are written faster than data that cannot be compressed
};

struct Finding {
    FindingKind kind{};
    Severity severity{};
    std::string detail;            ///< one line: what was seen, why probably, what to do
    std::optional<Bytes> offset{}; ///< on the tested span, where the finding has a place
    Bytes length{};                ///< extent of that place; 0 where there is none
    std::uint64_t count{1};        ///< how many times the same was seen
    bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

/// The stable names used on the wire and in records: the enumerators as written above.
[[nodiscard]] std::string_view name_of(FindingKind kind);
[[nodiscard]] std::string_view name_of(Severity severity);
/// The inverses; bad_format on an unknown name.
[[nodiscard]] Result<FindingKind> finding_kind_from(std::string_view name);
[[nodiscard]] Result<Severity> severity_from(std::string_view name);

/// Whether such a finding says nothing of its own where its pass has lost the medium: kernels and bridges answer
/// transfers to what is gone with errors for a while before they say that it is gone.
[[nodiscard]] constexpr bool comes_with_a_loss(FindingKind kind) {
    return kind == FindingKind::io_error || kind == FindingKind::short_transfer || kind == FindingKind::check_failed;
}

} // namespace mediarig::measure
