// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/record_json.hpp"

#include <fmt/format.h>

#include <array>
#include <variant>

#include "host/base/enum_names.hpp"
#include "host/base/json/codec.hpp"
#include "host/media/format_options.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/mount/mount.hpp"
#include "host/rig/port/detachment_json.hpp"
#include "host/workload/json.hpp"

namespace mediarig::store {
namespace {

using nlohmann::json;

Result<void> unless(const codec::DecodeError& fault) {
    if (fault.none()) return {};
    return fail(Errc::bad_request,
                fmt::format("not stored, because it could not be read back: {}", fault.error().detail));
}

} // namespace

using codec::member;

constexpr auto members_of(codec::Tag<Origin>) {
    return codec::members(member("mediarig_version", &Origin::mediarig_version),
                          member("host_name", &Origin::host_name), member("kernel", &Origin::kernel),
                          member("cpu", &Origin::cpu), member("agent", &Origin::agent),
                          member("resume_with", &Origin::resume_with), member("retest_of", &Origin::retest_of));
}

constexpr auto members_of(codec::Tag<CampaignRecord>) {
    return codec::members(member("id", &CampaignRecord::id), member("name", &CampaignRecord::name),
                          member("plan", &CampaignRecord::plan), member("origin", &CampaignRecord::origin),
                          member("started_ns", &CampaignRecord::started), member("ended_ns", &CampaignRecord::ended),
                          member("state", &CampaignRecord::state));
}

constexpr auto members_of(codec::Tag<DeviceRecord>) {
    return codec::members(member("key", &DeviceRecord::key), member("name", &DeviceRecord::name),
                          member("lot", &DeviceRecord::lot), member("label", &DeviceRecord::label),
                          member("slot", &DeviceRecord::slot), member("identity", &DeviceRecord::identity),
                          member("found", &DeviceRecord::found));
}

constexpr auto members_of(codec::Tag<FormatRecord>) {
    return codec::members(member("step", &FormatRecord::step), member("device", &FormatRecord::device),
                          member("format", &FormatRecord::format), member("repeat", &FormatRecord::repeat),
                          member("formatted", &FormatRecord::formatted), member("seen", &FormatRecord::seen));
}

constexpr auto members_of(codec::Tag<Fill>) {
    return codec::members(member("length", &Fill::length), member("elapsed_ns", &Fill::elapsed));
}

constexpr auto members_of(codec::Tag<Rest>) {
    return codec::members(member("waited_ms", &Rest::waited), member("until", &Rest::until),
                          member("reference", &Rest::reference), member("value", &Rest::value),
                          member("reached", &Rest::reached));
}

constexpr auto members_of(codec::Tag<Condition>) {
    return codec::members(member("filled", &Condition::filled), member("rested", &Condition::rested),
                          member("idle", &Condition::idle));
}

constexpr auto members_of(codec::Tag<PassRecord>) {
    return codec::members(member("id", &PassRecord::id), member("device", &PassRecord::device),
                          member("format", &PassRecord::format), member("repeat", &PassRecord::repeat),
                          member("position", &PassRecord::position), member("job", &PassRecord::job),
                          member("discarded", &PassRecord::discarded), member("condition", &PassRecord::condition),
                          member("formatted", &PassRecord::formatted), member("mounted", &PassRecord::mounted),
                          member("started_ns", &PassRecord::started));
}

constexpr auto members_of(codec::Tag<PassEnd>) {
    return codec::members(member("ended_ns", &PassEnd::ended), member("verify", &PassEnd::verify));
}

json to_json(const CampaignRecord& campaign) {
    return codec::encode(campaign);
}
json to_json(const DeviceRecord& device) {
    return codec::encode(device);
}
json to_json(const Condition& condition) {
    return codec::encode(condition);
}
Result<Condition> condition_from_json(const json& from) {
    return codec::decode<Condition>(from, "condition");
}
json to_json(const FormatRecord& made) {
    return codec::encode(made);
}
json to_json(const PassRecord& pass) {
    return codec::encode(pass);
}
json to_json(const PassEnd& end) {
    return codec::encode(end);
}
json to_json(const DeviceEntry& entry) {
    return std::visit([](const auto& each) { return to_json(each); }, entry);
}

std::string_view kind_of(const DeviceEntry& entry) {
    constexpr std::array<std::string_view, std::variant_size_v<DeviceEntry>> kinds{"finding", "check", "detachment",
                                                                                   "untested", "verdict"};
    return kinds[entry.index()];
}

namespace {

template <class T>
Result<void> checked(const T& record, std::string_view name) {
    codec::DecodeError fault;
    codec::check(record, {nullptr, name, {}}, fault);
    return unless(fault);
}
/// For a record whose list of members is defined elsewhere.
template <class T>
Result<void> checked_form(const T& record, std::string_view name) {
    codec::DecodeError fault;
    check_form(record, {nullptr, name, {}}, fault);
    return unless(fault);
}

} // namespace

Result<void> readable(const DeviceRecord& device) {
    return checked(device, "device");
}
Result<void> readable(const FormatRecord& made) {
    return checked(made, "made format");
}
Result<void> readable(const PassRecord& pass) {
    return checked(pass, "pass");
}
Result<void> readable(const PassEnd& end) {
    return checked(end, "end of a pass");
}
Result<void> readable(const workload::CellResult& cell) {
    return checked_form(cell, "cell");
}
Result<void> readable(const DeviceEntry& entry) {
    if (const auto* finding = std::get_if<measure::Finding>(&entry)) return checked_form(*finding, "finding");
    if (const auto* check = std::get_if<media::CheckReport>(&entry)) return checked_form(*check, "check");
    return {};
}

} // namespace mediarig::store
