// SPDX-License-Identifier: GPL-3.0-or-later
/// Waits until a mounted medium has completed the background work of a fresh file system: allocation on the first
/// write, deferred writes of trees. Without the wait, the first measurement would include this work. The device's
/// transfer counters show whether the work is complete. Pure.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "common/units.hpp"
#include "host/base/result.hpp"

namespace mediarig::codec {
struct Path;
class DecodeError;
} // namespace mediarig::codec

namespace mediarig::media {

struct IdleReport {
    bool counted{};                    ///< false if the device has no counters, so there was no wait
    bool silent{};                     ///< true if the counters stopped changing; false if the time limit was reached
    std::chrono::nanoseconds waited{}; ///< total duration of the wait
    Bytes read, written;               ///< transferred by the device during the wait
    bool operator==(const IdleReport&) const = default;
};
/// Text for the journal, for example "silent after 1.0 s, 0.0 MB written …".
[[nodiscard]] std::string text_of(const IdleReport& report);

[[nodiscard]] nlohmann::json to_json(const IdleReport& report);
/// Decodes a report. Fails with bad_format and names the member.
[[nodiscard]] Result<IdleReport> idle_report_from_json(const nlohmann::json& json);
// See host/media/format_options.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, IdleReport& report, codec::DecodeError& fault);
void check_form(const IdleReport& report, const codec::Path& at, codec::DecodeError& fault);

/// Total bytes transferred by the device.
struct TransferTotals {
    Bytes read, written;
    bool operator==(const TransferTotals&) const = default;
};
/// If the counters are unchanged for `silence`, the device is idle. Sync first: a driver writes cached data back only
/// after some seconds.
struct IdleTerms {
    std::chrono::nanoseconds silence{std::chrono::seconds(1)};
    std::chrono::nanoseconds longest{std::chrono::seconds(60)};
    std::chrono::nanoseconds between_looks{std::chrono::milliseconds(100)};
    const std::atomic<bool>* cancel{}; ///< may be null
};
/// `counters` returns nothing if the device has no counters; `sleep` waits for the given time. Fails with cancelled.
[[nodiscard]] Result<IdleReport> wait_idle(const std::function<std::optional<TransferTotals>()>& counters,
                                           const std::function<void(std::chrono::nanoseconds)>& sleep,
                                           const IdleTerms& terms = {});

} // namespace mediarig::media
