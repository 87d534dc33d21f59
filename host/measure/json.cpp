// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/json.hpp"

#include <utility>
#include <vector>

#include "host/base/json/codec.hpp"

namespace mediarig::measure {
namespace {

constexpr std::size_t longest_detail = 4096;

} // namespace

using codec::member;
using nlohmann::json;

constexpr auto members_of(codec::Tag<Finding>) {
    return codec::members(member("kind", &Finding::kind), member("severity", &Finding::severity),
                          member("detail", &Finding::detail).at_most(longest_detail).or_default(),
                          member("offset", &Finding::offset), member("length", &Finding::length).or_default(),
                          member("end", &Finding::end), member("count", &Finding::count).or_default(),
                          member("pass", &Finding::pass).unless_default(),
                          member("cell", &Finding::cell).unless_default());
}

constexpr auto members_of(codec::Tag<Limit>) {
    return codec::members(member("suite", &Limit::suite), member("metric", &Limit::metric),
                          member("format", &Limit::format), member("guard_percent", &Limit::guard_percent),
                          member("min", &Limit::min), member("max", &Limit::max));
}

constexpr auto members_of(codec::Tag<LimitResult>) {
    return codec::members(member("limit", &LimitResult::limit), member("format", &LimitResult::format),
                          member("values", &LimitResult::values), member("figure", &LimitResult::figure),
                          member("uncertainty", &LimitResult::uncertainty),
                          member("grade", &LimitResult::grade).named(grade_from),
                          member("reason", &LimitResult::reason));
}

constexpr auto members_of(codec::Tag<MetricValues>) {
    return codec::members(member("suite", &MetricValues::suite), member("metric", &MetricValues::metric),
                          member("format", &MetricValues::format), member("values", &MetricValues::values),
                          member("extreme", &MetricValues::extreme).unless_default());
}

constexpr auto members_of(codec::Tag<Untested>) {
    return codec::members(member("key", &Untested::key), member("why", &Untested::why));
}

constexpr auto members_of(codec::Tag<Verdict>) {
    return codec::members(member("grade", &Verdict::grade).named(grade_from), member("limits", &Verdict::limits),
                          member("reasons", &Verdict::reasons), member("cause", &Verdict::cause),
                          member("untested", &Verdict::untested), member("headlines", &Verdict::headlines));
}

constexpr auto members_of(codec::Tag<Histogram::Summary>) {
    using Summary = Histogram::Summary;
    return codec::members(member("sum_ns", &Summary::sum_ns).or_default(),
                          member("min_ns", &Summary::min_ns).or_default(),
                          member("max_ns", &Summary::max_ns).or_default());
}

json to_json(const Finding& finding) {
    return codec::encode(finding);
}
Result<Finding> finding_from_json(const json& from) {
    return codec::decode<Finding>(from);
}
json to_json(const Verdict& verdict) {
    return codec::encode(verdict);
}
Result<Verdict> verdict_from_json(const json& from) {
    return codec::decode<Verdict>(from, "verdict");
}
json to_json(const Untested& untested) {
    return codec::encode(untested);
}

void read_form(const json& from, const codec::Path& at, Finding& finding, codec::DecodeError& fault) {
    codec::read(from, at, finding, fault);
}
void check_form(const Finding& finding, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(finding, at, fault);
}

json to_json(const Histogram& histogram) {
    json object = codec::encode(histogram.summary());
    json& buckets = object["buckets"] = json::array();
    for (const auto& [bucket, count] : histogram.buckets()) buckets.push_back({bucket, count});
    return object;
}

void read_form(const json& from, const codec::Path& at, Histogram& histogram, codec::DecodeError& fault) {
    Histogram::Summary summary;
    codec::read(from, at, summary, fault);
    if (!fault.none()) return;
    const codec::Path place{&at, "buckets", {}};
    const auto is_bucket = [](const json& pair) {
        return pair.is_array() && pair.size() == 2 && pair[0].is_number_unsigned() && pair[1].is_number_unsigned() &&
               pair[0].get<std::uint64_t>() < Histogram::bucket_count;
    };
    const auto found = from.find("buckets");
    const json none = json::array();
    const json& buckets = found == from.end() || found->is_null() ? none : *found;
    if (!buckets.is_array() || buckets.size() > Histogram::bucket_count)
        return fault.say(place, "must be a list of [bucket, count]");
    std::vector<Histogram::Bucket> counted;
    counted.reserve(buckets.size());
    for (const json& pair : buckets) {
        if (!is_bucket(pair)) return fault.say(place, "must be a list of [bucket, count]");
        counted.emplace_back(pair[0].get<std::uint32_t>(), pair[1].get<std::uint64_t>());
    }
    auto restored = Histogram::restore(std::move(counted), summary);
    if (!restored) return fault.say(place, "out of range or repeated");
    histogram = std::move(*restored);
}

} // namespace mediarig::measure
