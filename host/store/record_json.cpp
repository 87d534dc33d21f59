// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/record_json.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "host/store/members.hpp"
#include "host/workload/json.hpp"

namespace mediarig::store {
namespace {

using nlohmann::json;

constexpr std::array campaign_states{"running", "finished", "interrupted", "failed"};
constexpr std::array step_states{"started", "done", "failed"};

template <class Enum, std::size_t n>
Result<Enum> state_from(const std::array<const char*, n>& names, std::string_view name) {
    for (std::size_t i = 0; i < n; ++i)
        if (name == names[i]) return static_cast<Enum>(i);
    return fail(Errc::bad_format, fmt::format("'{}' is none of {}", name, fmt::join(names, ", ")));
}

std::int64_t nanoseconds_of(TimePoint time) {
    return time.time_since_epoch().count();
}

void set(json& object, const char* name, const std::optional<TimePoint>& time) {
    if (time) object[name] = nanoseconds_of(*time);
}
void set(json& object, const char* name, const std::optional<double>& number) {
    if (number) object[name] = *number;
}
template <class T>
void set(json& object, const char* name, const std::optional<T>& part) {
    if (part) object[name] = to_json(*part);
}

json to_json(const Origin& origin) {
    return {{"mediarig_version", origin.mediarig_version},
            {"host_name", origin.host_name},
            {"kernel", origin.kernel},
            {"cpu", origin.cpu},
            {"agent", origin.agent}};
}

Result<Origin> origin_from(const json& object) {
    Members members("origin", object);
    Origin origin;
    members.text("mediarig_version", origin.mediarig_version);
    members.text("host_name", origin.host_name);
    members.text("kernel", origin.kernel);
    members.text("cpu", origin.cpu);
    members.text("agent", origin.agent);
    return members.finish(std::move(origin));
}

json to_json(const measure::LimitResult& result) {
    const measure::Limit& limit = result.limit;
    json wanted = {{"suite", limit.suite},
                   {"metric", limit.metric},
                   {"format", limit.format},
                   {"guard_percent", limit.guard_percent}};
    set(wanted, "min", limit.min);
    set(wanted, "max", limit.max);
    json object = {{"limit", std::move(wanted)},
                   {"format", result.format},
                   {"values", result.values},
                   {"grade", measure::name_of(result.grade)},
                   {"reason", result.reason}};
    set(object, "mean", result.mean);
    set(object, "uncertainty", result.uncertainty);
    return object;
}

Result<measure::Limit> limit_from(const json& object) {
    Members members("limit", object);
    measure::Limit limit;
    members.text("suite", limit.suite);
    members.text("metric", limit.metric);
    members.text("format", limit.format);
    members.number("guard_percent", limit.guard_percent);
    members.number("min", limit.min);
    members.number("max", limit.max);
    return members.finish(std::move(limit));
}

Result<measure::LimitResult> limit_result_from(const json& object) {
    Members members("limit result", object);
    measure::LimitResult result;
    members.part("limit", result.limit, limit_from);
    members.text("format", result.format);
    members.numbers("values", result.values);
    members.number("mean", result.mean);
    members.number("uncertainty", result.uncertainty);
    members.named("grade", result.grade, measure::grade_from);
    members.text("reason", result.reason);
    return members.finish(std::move(result));
}

} // namespace

std::string_view name_of(CampaignState state) {
    return campaign_states[static_cast<std::size_t>(state)];
}
std::string_view name_of(StepState state) {
    return step_states[static_cast<std::size_t>(state)];
}
Result<CampaignState> campaign_state_from(std::string_view name) {
    return state_from<CampaignState>(campaign_states, name);
}
Result<StepState> step_state_from(std::string_view name) {
    return state_from<StepState>(step_states, name);
}

json to_json(const CampaignRecord& campaign) {
    json object = {{"id", campaign.id},
                   {"name", campaign.name},
                   {"plan", campaign.plan},
                   {"origin", to_json(campaign.origin)},
                   {"started_ns", nanoseconds_of(campaign.started)},
                   {"state", name_of(campaign.state)}};
    set(object, "ended_ns", campaign.ended);
    return object;
}

Result<CampaignRecord> campaign_from_json(const json& object) {
    Members members("campaign", object);
    CampaignRecord campaign;
    members.text("id", campaign.id);
    members.text("name", campaign.name);
    members.text("plan", campaign.plan);
    members.part("origin", campaign.origin, origin_from);
    members.time("started_ns", campaign.started);
    members.time("ended_ns", campaign.ended);
    members.named("state", campaign.state, campaign_state_from);
    return members.finish(std::move(campaign));
}

json to_json(const DeviceRecord& device) {
    json object = {{"key", device.key},     {"name", device.name}, {"lot", device.lot},
                   {"label", device.label}, {"slot", device.slot}, {"identity", media::to_json(device.identity)}};
    set(object, "found", device.found);
    return object;
}

Result<DeviceRecord> device_from_json(const json& object) {
    Members members("device", object);
    DeviceRecord device;
    members.text("key", device.key);
    members.text("name", device.name);
    members.text("lot", device.lot);
    members.text("label", device.label);
    members.text("slot", device.slot);
    members.part("identity", device.identity, media::medium_from_json);
    members.part("found", device.found, media::inspect_report_from_json);
    return members.finish(std::move(device));
}

json to_json(const MadeFormat& made) {
    json object = {{"step", made.step},
                   {"device", made.device},
                   {"format", made.format},
                   {"repeat", made.repeat},
                   {"formatted", media::to_json(made.formatted)}};
    set(object, "seen", made.seen);
    return object;
}

Result<MadeFormat> made_format_from_json(const json& object) {
    Members members("made format", object);
    MadeFormat made;
    members.text("step", made.step);
    members.text("device", made.device);
    members.text("format", made.format);
    members.count("repeat", made.repeat);
    members.part("formatted", made.formatted, media::format_report_from_json);
    members.part("seen", made.seen, media::inspect_report_from_json);
    return members.finish(std::move(made));
}

json to_json(const PassRecord& pass) {
    json object = {{"id", pass.id},
                   {"device", pass.device},
                   {"format", pass.format},
                   {"repeat", pass.repeat},
                   {"position", pass.position},
                   {"job", workload::to_json(pass.job)},
                   {"started_ns", nanoseconds_of(pass.started)}};
    set(object, "formatted", pass.formatted);
    set(object, "mounted", pass.mounted);
    set(object, "ended_ns", pass.ended);
    return object;
}

Result<PassRecord> pass_from_json(const json& object) {
    Members members("pass", object);
    PassRecord pass;
    members.text("id", pass.id);
    members.text("device", pass.device);
    members.text("format", pass.format);
    members.count("repeat", pass.repeat);
    members.count("position", pass.position);
    members.part("job", pass.job, workload::job_from_json);
    members.part("formatted", pass.formatted, media::format_report_from_json);
    members.part("mounted", pass.mounted, media::mount_report_from_json);
    members.time("started_ns", pass.started);
    members.time("ended_ns", pass.ended);
    return members.finish(std::move(pass));
}

json to_json(const PassEnd& end) {
    json object = {{"ended_ns", nanoseconds_of(end.ended)}};
    set(object, "verify", end.verify);
    set(object, "check", end.check);
    return object;
}

Result<PassEnd> pass_end_from_json(const json& object) {
    Members members("end of a pass", object);
    PassEnd end;
    members.time("ended_ns", end.ended);
    members.part("verify", end.verify, workload::verify_outcome_from_json);
    members.part("check", end.check, media::check_report_from_json);
    return members.finish(std::move(end));
}

json to_json(const FindingRecord& finding) {
    return {{"pass", finding.pass}, {"cell", finding.cell}, {"finding", workload::to_json(finding.finding)}};
}

Result<FindingRecord> finding_record_from_json(const json& object) {
    Members members("finding", object);
    FindingRecord finding;
    members.text("pass", finding.pass);
    members.text("cell", finding.cell);
    members.part("finding", finding.finding, workload::finding_from_json);
    return members.finish(std::move(finding));
}

json to_json(const measure::Verdict& verdict) {
    json limits = json::array();
    for (const measure::LimitResult& result : verdict.limits) limits.push_back(to_json(result));
    return {{"grade", measure::name_of(verdict.grade)}, {"limits", std::move(limits)}, {"reasons", verdict.reasons}};
}

Result<measure::Verdict> verdict_from_json(const json& object) {
    Members members("verdict", object);
    measure::Verdict verdict;
    members.named("grade", verdict.grade, measure::grade_from);
    members.parts("limits", verdict.limits, limit_result_from);
    members.texts("reasons", verdict.reasons);
    return members.finish(std::move(verdict));
}

std::string text_of(const json& object) {
    constexpr int one_line = -1;
    return object.dump(one_line, ' ', false, json::error_handler_t::replace);
}

} // namespace mediarig::store
