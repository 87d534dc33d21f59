// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds rows by the keys that callers use, and converts records to columns. Does not catch SOCI's exceptions.
#pragma once

#include <soci/soci.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/json/json_text.hpp"
#include "host/base/result.hpp"
#include "host/store/record.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::store {

using RowId = long long;

/// A column that may be NULL, in the two variables that SOCI requires (both writable, even for reading).
template <class T>
struct NullableColumn {
    T value{};
    soci::indicator state{soci::i_null};

    NullableColumn() = default;
    explicit NullableColumn(const std::optional<T>& from)
        : value(from.value_or(T{})), state(from ? soci::i_ok : soci::i_null) {}
    [[nodiscard]] std::optional<T> get() const { return state == soci::i_ok ? std::optional<T>(value) : std::nullopt; }
};

/// Converts an optional part of a record to text.
template <class T>
[[nodiscard]] std::optional<std::string> json_column(const std::optional<T>& part) {
    return part ? std::optional(codec::json_line(to_json(*part))) : std::nullopt;
}

/// SQL expression that sorts rows of `device` joined with `campaign` in the order of the media in the plan, not in the
/// order in which they started. A plan for all slots contains no names, so the slot numbers determine the order. In the
/// stored plan each medium's name occurs once after the member name, so the JSON need not be parsed.
inline constexpr std::string_view in_plan_order =
    R"(nullif(instr(campaign.plan_json, '"name":' || json_quote(device.name)), 0) NULLS LAST,
       CAST(device.slot AS INTEGER), device.id)";

/// find_campaign() and find_device() fail with bad_request if the row does not exist.
[[nodiscard]] Result<void> find_campaign(soci::session& sql, const std::string& id);
[[nodiscard]] Result<RowId> find_device(soci::session& sql, const std::string& campaign, const std::string& key);
struct PassRow {
    RowId id{};
    RowId device{};
};
[[nodiscard]] Result<PassRow> find_pass(soci::session& sql, const std::string& campaign, const std::string& key);

[[nodiscard]] inline long long nanoseconds_of(TimePoint time) {
    return time.time_since_epoch().count();
}
[[nodiscard]] inline std::optional<long long> nanoseconds_of(const std::optional<TimePoint>& time) {
    return time ? std::optional(nanoseconds_of(*time)) : std::nullopt;
}
[[nodiscard]] inline TimePoint time_at(long long nanoseconds) {
    return TimePoint(std::chrono::nanoseconds(nanoseconds));
}

/// SQLite's integers are signed. Sizes and counts above 2^63 do not occur; such a value would still be read back
/// unchanged.
[[nodiscard]] inline long long column_of(std::uint64_t count) {
    return static_cast<long long>(count);
}

void fill(soci::blob& blob, std::span<const std::uint8_t> bytes);
[[nodiscard]] std::vector<std::uint8_t> bytes_of(soci::blob& blob);

} // namespace mediarig::store
