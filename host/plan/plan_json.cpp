// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a complete plan as JSON. The JSON contains every default of the plan itself, but members of suites only if
/// the plan sets them.
#include <nlohmann/json.hpp>

#include "host/base/json/json_text.hpp"
#include "host/plan/format_change.hpp"
#include "host/plan/names.hpp"
#include "host/plan/plan.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::plan {
namespace {

using nlohmann::json;

/// A whole number of seconds remains an integer.
json seconds_of(std::chrono::nanoseconds time) {
    constexpr std::int64_t per_second = 1'000'000'000;
    if (time.count() % per_second == 0) return time.count() / per_second;
    return static_cast<double>(time.count()) / 1e9;
}

json written(const MediumRef& medium) {
    json out{{"name", medium.name}};
    const auto put = [&](const char* name, const std::string& text) {
        if (!text.empty()) out[name] = text;
    };
    put("path", medium.path);
    put("image", medium.image);
    put("directory", medium.directory);
    if (medium.slot) out["slot"] = medium.slot->number;
    put("confirm", medium.confirm);
    put("lot", medium.lot);
    put("label", medium.label);
    if (medium.partition) out["partition"] = *medium.partition;
    if (medium.contents_unknown) out["contents_unknown"] = true;
    if (medium.use_unknown) out["use_unknown"] = true;
    return out;
}

json written(const EmulatedMedium& medium) {
    json out{
        {"slot", medium.slot.number}, {"kind", name_of(medium.kind)}, {"card", medium.card}, {"seed", medium.seed}};
    if (medium.size) out["size"] = medium.size->count;
    return out;
}

json written(const workload::Payload& payload) {
    json out{{"kind", workload::name_of(payload.kind)}, {"seed", payload.seed}};
    if (payload.kind == workload::PayloadKind::given) out["given"] = payload_text(payload.given);
    return out;
}

json written(const SuiteEntry& entry) {
    const suites::SuiteRequest& request = entry.request;
    json out{{"suite", request.name}, {"where", name_of(entry.where)}, {"quick", request.quick}};
    if (!request.tables.empty()) out["tables"] = request.tables;
    for (const workload::Access access : request.accesses) out["accesses"].push_back(workload::name_of(access));
    for (const Bytes block : request.blocks) out["blocks"].push_back(block.count);
    if (!request.options.empty()) out["options"] = request.options;
    if (request.span) out["span"] = request.span->count;
    if (request.volume) out["volume"] = request.volume->count;
    if (request.from) out["from"] = request.from->count;
    if (request.rate_limit) out["rate_limit"] = request.rate_limit->count;
    if (entry.replug) out["replug"] = true;
    if (request.time_limit) out["time_limit_s"] = seconds_of(*request.time_limit);
    if (request.engine) out["engine"] = workload::name_of(*request.engine);
    if (request.cache) out["cache"] = workload::name_of(*request.cache);
    if (request.sync) out["sync"] = workload::name_of(*request.sync);
    if (request.assumed_cache) out["assumed_cache"] = request.assumed_cache->count;
    if (request.queue_depth) out["queue_depth"] = *request.queue_depth;
    if (request.payload) out["payload"] = written(*request.payload);
    if (request.on_io_error) out["on_io_error"] = workload::name_of(*request.on_io_error);
    out["raw_log"] = request.keep_raw_log;
    out["order_seed"] = request.order_seed;
    return out;
}

json written(const std::vector<SuiteEntry>& suites) {
    json out = json::array();
    for (const SuiteEntry& suite : suites) out.push_back(written(suite));
    return out;
}

json written(const media::PartitionSpec& partition) {
    json out{{"table", media::name_of(partition.table)}};
    if (partition.start) out["start"] = partition.start->count;
    if (partition.length) out["length"] = partition.length->count;
    return out;
}

json written(const FormatEntry& format) {
    json out = json::object();
    if (format.profile) out["profile"] = media::name_of(*format.profile);
    if (format.wanted) out["fs"] = media::name_of(*format.wanted);
    if (!format.profile) out["fs"] = format.keep ? kept_name : media::name_of(format.spec.fs);
    if (!format.name.empty()) out["name"] = format.name;
    if (format.spec.cluster_size) out["cluster_size"] = format.spec.cluster_size->count;
    if (!format.spec.label.empty()) out["label"] = format.spec.label;
    if (format.spec.journal_size) out["journal_size"] = format.spec.journal_size->count;
    if (format.spec.boundary) out["boundary"] = format.spec.boundary->count;
    if (format.spec.fat_length) out["fat_length"] = format.spec.fat_length->count;
    if (format.spec.reserved_sectors) out["reserved_sectors"] = *format.spec.reserved_sectors;
    if (format.spec.partition) out["partition"] = written(*format.spec.partition);
    if (format.suites) out["suites"] = written(*format.suites);
    return out;
}

json written(const measure::Limit& limit) {
    json out{{"metric", limit.metric}, {"guard_percent", limit.guard_percent}};
    if (!limit.suite.empty()) out["suite"] = limit.suite;
    if (!limit.format.empty()) out["format"] = limit.format;
    if (limit.min) out["min"] = *limit.min;
    if (limit.max) out["max"] = *limit.max;
    return out;
}

json written_compare(const Plan& plan) {
    const Compare& compare = *plan.compare;
    const json first = written(plan.formats.front());
    json out{{"margin_percent", compare.margin_percent}};
    if (compare.endless)
        out["blocks"] = endless_word;
    else
        out["blocks"] = plan.repeats;
    if (!compare.discard) out["discard"] = false;
    if (compare.fill != default_compare_fill) out["fill"] = compare.fill.count;
    if (compare.longest_rest.count() > 0) out["rest_at_most_s"] = compare.longest_rest.count();
    if (compare.rest.count() > 0) out["rest_s"] = compare.rest.count();
    if (compare.self_test) {
        out["self_test"] = first;
    } else if (!compare.deviations.empty()) {
        out["baseline"] = first;
        for (std::size_t i = 1; i < plan.formats.size(); ++i) {
            json deviation = written(plan.formats[i]);
            deviation.erase("name"); // the name is derived from the difference
            out["deviations"].push_back(change_between(first, deviation));
        }
    } else {
        for (const FormatEntry& format : plan.formats) out["formats"].push_back(written(format));
    }
    for (const workload::Access access : compare.headlines) out["headlines"].push_back(workload::name_of(access));
    const std::vector<std::string> names = format_names(plan);
    for (const auto& row : compare.orders) {
        json& order = out["orders"].emplace_back(json::array());
        for (const std::size_t format : row) order.push_back(names[format]);
    }
    return out;
}

} // namespace

json to_json(const FormatEntry& format) {
    return written(format);
}

json to_json(const Plan& plan) {
    json out{{"mediarig_plan", 1},       {"media", json::array()},
             {"formats", json::array()}, {"suites", written(plan.suites)},
             {"repeats", plan.repeats},  {"order", {{"kind", name_of(plan.order.kind)}, {"seed", plan.order.seed}}},
             {"limits", json::array()},  {"on_failure", name_of(plan.on_failure)}};
    if (!plan.name.empty()) out["name"] = plan.name;
    for (const MediumRef& medium : plan.media) out["media"].push_back(written(medium));
    if (plan.all_slots) {
        out.erase("media");
        out["slots"] = {{"numbers", "all"}};
        if (!plan.all_slots->lot.empty()) out["slots"]["lot"] = plan.all_slots->lot;
        if (!plan.all_slots->label.empty()) out["slots"]["label"] = plan.all_slots->label;
    }
    if (plan.compare) {
        for (const char* fixed : {"formats", "repeats"}) out.erase(fixed);
        out["compare"] = written_compare(plan);
    } else {
        for (const FormatEntry& format : plan.formats) out["formats"].push_back(written(format));
    }
    for (const measure::Limit& limit : plan.limits) out["limits"].push_back(written(limit));
    for (const EmulatedMedium& medium : plan.lab) out["lab"].push_back(written(medium));
    if (plan.lab_machine != LabMachine::qemu) out["lab_machine"] = name_of(plan.lab_machine);
    if (plan.lab_uplink) out["lab_uplink"] = plan.lab_uplink->count;
    if (plan.lanes) out["lanes"] = *plan.lanes;
    if (plan.time_budget) out["time_budget_s"] = plan.time_budget->count();
    return out;
}

std::string kept_text(const Plan& plan) {
    return codec::json_line(to_json(plan));
}

} // namespace mediarig::plan
