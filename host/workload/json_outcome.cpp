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

constexpr std::size_t most_seconds = 1'000'000; // eleven days in one cell
constexpr std::size_t most_findings = 10'000;
constexpr std::size_t longest_detail = 4096;

json latency_to_json(const measure::Histogram& latency) {
    json buckets = json::array();
    for (const auto& [bucket, count] : latency.sparse()) buckets.push_back({bucket, count});
    const auto summary = latency.summary();
    return {{"buckets", std::move(buckets)},
            {"sum_ns", summary.sum_ns},
            {"min_ns", summary.min_ns},
            {"max_ns", summary.max_ns}};
}

measure::Histogram read_latency(const json& value, ObjectReader& parent) {
    ObjectReader in(value, "latency");
    std::vector<std::pair<std::uint32_t, std::uint64_t>> sparse;
    if (const json* buckets = in.list("buckets", measure::Histogram::bucket_count)) {
        for (const json& pair : *buckets) {
            if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
                !pair[1].is_number_unsigned() || pair[0].get<std::uint64_t>() >= measure::Histogram::bucket_count) {
                in.refuse("buckets", "not a list of [bucket, count]");
                break;
            }
            sparse.emplace_back(pair[0].get<std::uint32_t>(), pair[1].get<std::uint64_t>());
        }
    }
    const measure::Histogram::Summary summary{in.number_or("sum_ns", 0), in.number_or("min_ns", 0),
                                              in.number_or("max_ns", 0)};
    auto latency = measure::Histogram::restore(sparse, summary);
    if (!latency) in.refuse("buckets", "out of range or repeated");
    if (in.error()) parent.refuse(*in.error());
    return latency.value_or(measure::Histogram{});
}

json evidence_to_json(const CacheEvidence& evidence) {
    json out{{"used", name_of(evidence.used)},
             {"sync", name_of(evidence.sync)},
             {"engine", name_of(evidence.engine)},
             {"page_cache_dropped", evidence.page_cache_dropped},
             {"write_cache_flushed", evidence.write_cache_flushed},
             {"sync_calls", evidence.sync_calls},
             {"alignment", evidence.alignment.count}};
    if (evidence.device_read) out["device_read"] = evidence.device_read->count;
    if (evidence.device_written) out["device_written"] = evidence.device_written->count;
    return out;
}

CacheEvidence read_evidence(const json& value, ObjectReader& parent) {
    ObjectReader in(value, "evidence");
    CacheEvidence evidence;
    evidence.used = in.name("used", cache_policy_from);
    evidence.sync = in.name("sync", sync_level_from);
    evidence.engine = in.name("engine", engine_from);
    evidence.page_cache_dropped = in.flag_or("page_cache_dropped", false);
    evidence.write_cache_flushed = in.flag_or("write_cache_flushed", false);
    evidence.sync_calls = in.number_or("sync_calls", 0);
    evidence.alignment = {in.number_or("alignment", 0)};
    if (const auto bytes = in.maybe_number("device_read")) evidence.device_read = Bytes{*bytes};
    if (const auto bytes = in.maybe_number("device_written")) evidence.device_written = Bytes{*bytes};
    if (in.error()) parent.refuse(*in.error());
    return evidence;
}

std::vector<SecondSample> read_series(const json& values, ObjectReader& parent) {
    std::vector<SecondSample> series;
    series.reserve(values.size());
    for (std::size_t i = 0; i < values.size() && !parent.error(); ++i) {
        ObjectReader in(values[i], "series[" + std::to_string(i) + "]");
        SecondSample second;
        second.length = std::chrono::nanoseconds(in.nanoseconds("length_ns"));
        second.moved = {in.number("moved")};
        second.operations = in.number("operations");
        second.worst = std::chrono::nanoseconds(in.nanoseconds("worst_ns"));
        series.push_back(second);
        if (in.error()) parent.refuse(*in.error());
    }
    return series;
}

measure::Finding read_finding(ObjectReader& in) {
    measure::Finding finding;
    finding.kind = in.name("kind", measure::finding_kind_from);
    finding.severity = in.name("severity", measure::severity_from);
    finding.detail = in.text_or("detail", {}, longest_detail);
    if (const auto offset = in.maybe_number("offset")) finding.offset = Bytes{*offset};
    finding.length = {in.number_or("length", 0)};
    finding.count = in.number_or("count", 1);
    return finding;
}

json findings_to_json(const measure::Findings& findings) {
    json out = json::array();
    for (const measure::Finding& finding : findings) out.push_back(to_json(finding));
    return out;
}

measure::Findings read_findings(const json& values, ObjectReader& parent) {
    measure::Findings findings;
    for (std::size_t i = 0; i < values.size() && !parent.error(); ++i) {
        ObjectReader in(values[i], "findings[" + std::to_string(i) + "]");
        findings.push_back(read_finding(in));
        if (in.error()) parent.refuse(*in.error());
    }
    return findings;
}

} // namespace

json to_json(const measure::Finding& finding) {
    json out{{"kind", measure::name_of(finding.kind)},
             {"severity", measure::name_of(finding.severity)},
             {"detail", finding.detail},
             {"length", finding.length.count},
             {"count", finding.count}};
    if (finding.offset) out["offset"] = finding.offset->count;
    return out;
}

Result<measure::Finding> finding_from_json(const json& value) {
    ObjectReader in(value, "");
    measure::Finding finding = read_finding(in);
    if (in.error()) return fail(*in.error());
    return finding;
}

json to_json(const CellResult& result) {
    json series = json::array();
    for (const SecondSample& second : result.series)
        series.push_back({{"length_ns", second.length.count()},
                          {"moved", second.moved.count},
                          {"operations", second.operations},
                          {"worst_ns", second.worst.count()}});
    return {{"cell", to_json(result.cell)},
            {"moved", result.moved.count},
            {"operations", result.operations},
            {"elapsed_ns", result.elapsed.count()},
            {"sync_time_ns", result.sync_time.count()},
            {"prepare_time_ns", result.prepare_time.count()},
            {"latency", latency_to_json(result.latency)},
            {"series", std::move(series)},
            {"evidence", evidence_to_json(result.evidence)},
            {"findings", findings_to_json(result.findings)},
            {"end", name_of(result.end)}};
}

Result<CellResult> cell_result_from_json(const json& value) {
    ObjectReader in(value, "");
    CellResult result;
    if (const json* cell = in.object("cell")) {
        auto parsed = cell_from_json(*cell);
        if (parsed)
            result.cell = std::move(*parsed);
        else
            in.refuse("cell", parsed.error().detail);
    } else {
        in.refuse("cell", "missing");
    }
    result.moved = {in.number("moved")};
    result.operations = in.number("operations");
    result.elapsed = std::chrono::nanoseconds(in.nanoseconds("elapsed_ns"));
    result.sync_time = std::chrono::nanoseconds(in.has("sync_time_ns") ? in.nanoseconds("sync_time_ns") : 0);
    result.prepare_time = std::chrono::nanoseconds(in.has("prepare_time_ns") ? in.nanoseconds("prepare_time_ns") : 0);
    if (const json* latency = in.object("latency")) result.latency = read_latency(*latency, in);
    if (const json* series = in.list("series", most_seconds)) result.series = read_series(*series, in);
    if (const json* evidence = in.object("evidence")) result.evidence = read_evidence(*evidence, in);
    if (const json* findings = in.list("findings", most_findings)) result.findings = read_findings(*findings, in);
    result.end = in.name("end", cell_end_from);
    if (in.error()) return fail(*in.error());
    return result;
}

} // namespace mediarig::workload
