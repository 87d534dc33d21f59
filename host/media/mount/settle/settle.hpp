// SPDX-License-Identifier: GPL-3.0-or-later
/// Waits until a mounted medium has done what its format does by itself: allocation on the first write, trees that are
/// written behind. What is measured before that pays for it. Seen from the device's counters. Pure.
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
class Fault;
} // namespace mediarig::codec

namespace mediarig::media {

struct SettleReport {
    bool counted{};                    ///< false: the device keeps no counters, and nobody waited
    bool silent{};                     ///< they stood still at last; false: the longest wait was over before
    std::chrono::nanoseconds waited{}; ///< in all
    Bytes read, written;               ///< what the device moved meanwhile
    bool operator==(const SettleReport&) const = default;
};
/// "silent after 1.0 s, 0.0 MB written meanwhile"; for the journal.
[[nodiscard]] std::string text_of(const SettleReport& report);

[[nodiscard]] nlohmann::json to_json(const SettleReport& report);
/// Fails with bad_format, naming the member.
[[nodiscard]] Result<SettleReport> settle_report_from_json(const nlohmann::json& json);
// As in host/media/format_options.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, SettleReport& report, codec::Fault& fault);
void check_form(const SettleReport& report, const codec::Path& at, codec::Fault& fault);

/// What the device has moved so far.
struct MovedSoFar {
    Bytes read, written;
    bool operator==(const MovedSoFar&) const = default;
};
/// Counters that stand still for `silence` mean that nothing is going on; a driver writes back what it holds after some
/// seconds, so that it is made to do so before.
struct SettleTerms {
    std::chrono::nanoseconds silence{std::chrono::seconds(1)};
    std::chrono::nanoseconds longest{std::chrono::seconds(60)};
    std::chrono::nanoseconds between_looks{std::chrono::milliseconds(100)};
    const std::atomic<bool>* cancel{}; ///< may be null
};
/// `counters`: nothing where the device keeps none; `sleep` waits for so long. Fails with cancelled.
[[nodiscard]] Result<SettleReport> settle(const std::function<std::optional<MovedSoFar>()>& counters,
                                          const std::function<void(std::chrono::nanoseconds)>& sleep,
                                          const SettleTerms& terms = {});

} // namespace mediarig::media
