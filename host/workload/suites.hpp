// SPDX-License-Identifier: GPL-3.0-or-later
/// The published protocols as data. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/result.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

/// What a user may say about a suite; everything unset takes the suite's published value.
struct SuiteRequest {
    std::string name;  ///< "quickbench", "disktester", "verify", "capacity"
    bool quick{false}; ///< same protocol, smallest volume that still makes sense
    std::vector<std::string>
        tables; ///< quickbench: "standard" (default), "large", "extended"; disktester: "sequential", "iops"
    std::vector<Access> accesses; ///< empty = all
    std::vector<Bytes> blocks;    ///< empty = the suite's
    std::optional<Bytes> span;
    std::optional<Bytes> volume;                        ///< per cell
    std::optional<std::chrono::nanoseconds> time_limit; ///< per cell
    std::optional<Engine> engine;
    std::optional<CachePolicy> cache;
    std::optional<SyncLevel> sync;
    std::optional<std::uint32_t> queue_depth;
    std::optional<Payload> payload;
    std::optional<OnIoError> on_io_error;
    std::optional<Bytes> assumed_cache; ///< capacity only: the largest volatile cache that the medium may have
    bool keep_raw_log{false};
    std::uint64_t order_seed{1};
    bool operator==(const SuiteRequest&) const = default;
};

/// The names, for help texts and error messages.
[[nodiscard]] std::vector<std::string_view> suite_names();
/// Expands a request; fails with bad_request naming what is unknown or impossible. `available` is the free space or the
/// device's size: the span shrinks to fit into half of it and never below what the protocol needs.
[[nodiscard]] Result<JobSpec> expand(const SuiteRequest& request, Bytes available);

} // namespace mediarig::workload
