// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/workload/json.hpp"
#include "host/workload/json_reader.hpp"
#include "host/workload/names.hpp"

namespace mediarig::workload {
namespace {

using detail::ObjectReader;
using nlohmann::json;

constexpr std::size_t most_ranges = 10'000;
constexpr std::size_t most_speeds = 2;

/// Calls `read` with a reader for each element of the list `member`.
template <class Read>
void each(ObjectReader& in, const char* member, std::size_t most, Read read) {
    const json* list = in.list(member, most);
    if (!list) return;
    for (std::size_t i = 0; i < list->size() && !in.error(); ++i) {
        ObjectReader element((*list)[i], in.path_of(member) + "[" + std::to_string(i) + "]");
        read(element);
        if (element.error()) in.refuse(*element.error());
    }
}

json to_json(const PassSpeed& speed) {
    json slow = json::array();
    for (const SlowRegion& region : speed.slow)
        slow.push_back({{"offset", region.offset.count},
                        {"length", region.length.count},
                        {"bytes_per_second", region.bytes_per_second}});
    json stalls = json::array();
    for (const Stall& stall : speed.stalls)
        stalls.push_back({{"offset", stall.offset.count}, {"length_ns", stall.length.count()}});
    return {{"access", name_of(speed.access)},
            {"region", speed.region.count},
            {"median_bytes_per_second", speed.median_bytes_per_second},
            {"slow_below", speed.slow_below},
            {"slow", std::move(slow)},
            {"stalls", std::move(stalls)}};
}

PassSpeed read_speed(ObjectReader& in) {
    PassSpeed speed;
    speed.access = in.name("access", access_from);
    speed.region = {in.number_or("region", 0)};
    speed.median_bytes_per_second = in.number_or("median_bytes_per_second", 0);
    speed.slow_below = in.number_or("slow_below", 0);
    each(in, "slow", most_ranges, [&](ObjectReader& element) {
        speed.slow.push_back(
            {{element.number("offset")}, {element.number("length")}, element.number("bytes_per_second")});
    });
    each(in, "stalls", most_ranges, [&](ObjectReader& element) {
        speed.stalls.push_back(
            {{element.number("offset")}, std::chrono::nanoseconds(element.nanoseconds("length_ns"))});
    });
    return speed;
}

ProbeEffort read_effort(const json& value, ObjectReader& parent) {
    ObjectReader in(value, "probe");
    ProbeEffort effort{.assumed_cache = {in.number("assumed_cache")},
                       .read = {in.number_or("read", 0)},
                       .rounds = in.number_or("rounds", 0),
                       .elapsed = std::chrono::nanoseconds(in.nanoseconds("elapsed_ns"))};
    if (in.error()) parent.refuse(*in.error());
    return effort;
}

} // namespace

json to_json(const VerifyOutcome& outcome) {
    json damaged = json::array();
    for (const DamagedRange& range : outcome.damaged) {
        json entry{{"offset", range.offset.count}, {"length", range.length.count}, {"kind", name_of(range.kind)}};
        if (range.belongs_at) entry["belongs_at"] = range.belongs_at->count;
        damaged.push_back(std::move(entry));
    }
    json speeds = json::array();
    for (const PassSpeed& speed : outcome.speeds) speeds.push_back(to_json(speed));
    json out{{"claimed", outcome.claimed.count},
             {"written", outcome.written.count},
             {"good", outcome.good.count},
             {"damaged", std::move(damaged)},
             {"damaged_bytes", outcome.damaged_bytes.count},
             {"speeds", std::move(speeds)}};
    if (outcome.true_capacity) out["true_capacity"] = outcome.true_capacity->count;
    if (outcome.verdict) out["verdict"] = name_of(*outcome.verdict);
    if (outcome.fake) out["fake"] = name_of(*outcome.fake);
    if (outcome.resumed_at) out["resumed_at"] = outcome.resumed_at->count;
    if (outcome.probe)
        out["probe"] = {{"assumed_cache", outcome.probe->assumed_cache.count},
                        {"read", outcome.probe->read.count},
                        {"rounds", outcome.probe->rounds},
                        {"elapsed_ns", outcome.probe->elapsed.count()}};
    return out;
}

Result<VerifyOutcome> verify_outcome_from_json(const json& value) {
    ObjectReader in(value, "");
    VerifyOutcome outcome;
    outcome.claimed = {in.number("claimed")};
    outcome.written = {in.number("written")};
    outcome.good = {in.number("good")};
    outcome.damaged_bytes = {in.number_or("damaged_bytes", 0)};
    if (const auto capacity = in.maybe_number("true_capacity")) outcome.true_capacity = Bytes{*capacity};
    each(in, "damaged", most_ranges, [&](ObjectReader& element) {
        DamagedRange range{{element.number("offset")},
                           {element.number("length")},
                           element.name("kind", damage_kind_from),
                           std::nullopt};
        if (const auto at = element.maybe_number("belongs_at")) range.belongs_at = Bytes{*at};
        outcome.damaged.push_back(range);
    });
    if (in.has("verdict")) outcome.verdict = in.name("verdict", capacity_verdict_from);
    if (in.has("fake")) outcome.fake = in.name("fake", fake_kind_from);
    each(in, "speeds", most_speeds, [&](ObjectReader& element) { outcome.speeds.push_back(read_speed(element)); });
    if (const auto at = in.maybe_number("resumed_at")) outcome.resumed_at = Bytes{*at};
    if (const json* probe = in.object("probe")) outcome.probe = read_effort(*probe, in);
    if (in.error()) return fail(*in.error());
    return outcome;
}

} // namespace mediarig::workload
