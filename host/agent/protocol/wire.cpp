// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/protocol/wire.hpp"

#include "host/base/json/codec.hpp"
#include "host/media/format_options.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/mount/mount.hpp"
#include "host/workload/json.hpp"

namespace mediarig::media {

using codec::member;

static bool may_be_unknown(const ClaimRequest& request) {
    return request.contents == Contents::may_be_unknown;
}
static void set_may_be_unknown(ClaimRequest& request, bool unknown) {
    request.contents = unknown ? Contents::may_be_unknown : Contents::must_be_known;
}

static bool use_may_be_unknown(const ClaimRequest& request) {
    return request.use == Use::may_be_unknown;
}
static void set_use_may_be_unknown(ClaimRequest& request, bool unknown) {
    request.use = unknown ? Use::may_be_unknown : Use::must_be_known;
}

constexpr auto members_of(codec::Tag<ClaimRequest>) {
    return codec::members(member("target", &ClaimRequest::target), member("confirm", &ClaimRequest::confirm),
                          member("presence", &ClaimRequest::presence).unless_default(),
                          codec::computed("contents_unknown", may_be_unknown, set_may_be_unknown),
                          codec::computed("use_unknown", use_may_be_unknown, set_use_may_be_unknown),
                          member("restores", &ClaimRequest::restores).unless_default());
}

} // namespace mediarig::media

namespace mediarig::workload {

constexpr auto members_of(codec::Tag<PreviousCell>) {
    return codec::members(codec::member("id", &PreviousCell::id), codec::member("up_to", &PreviousCell::up_to));
}

} // namespace mediarig::workload

namespace mediarig::agent {
namespace {

bool has_one_place(const RunParams& params) {
    return params.claim.has_value() != params.directory.has_value();
}
bool is_absolute(const RunParams& params) {
    return !params.directory || params.directory->starts_with('/');
}
bool is_raw_device(const RunParams& params) {
    return !params.directory || !params.raw;
}

} // namespace

using codec::member;
using nlohmann::json;

constexpr auto members_of(codec::Tag<HelloParams>) {
    return codec::members(member("protocol", &HelloParams::protocol), member("controller", &HelloParams::controller));
}
constexpr auto members_of(codec::Tag<TargetParams>) {
    return codec::members(member("target", &TargetParams::target));
}
constexpr auto members_of(codec::Tag<SupportParams>) {
    return codec::members(member("fs", &SupportParams::fs).named(media::file_system_from),
                          member("partition", &SupportParams::partition).unless_default(),
                          member("mount", &SupportParams::mount).unless_default());
}
constexpr auto members_of(codec::Tag<ClaimParams>) {
    return codec::members(member("claim", &ClaimParams::claim));
}
constexpr auto members_of(codec::Tag<FormatParams>) {
    return codec::members(member("claim", &FormatParams::claim), member("format", &FormatParams::format));
}
constexpr auto members_of(codec::Tag<ScanParams>) {
    return codec::members(member("target", &ScanParams::target),
                          member("time_limit_ns", &ScanParams::time_limit).or_default(),
                          member("kept_data", &ScanParams::kept_data).unless_default());
}
constexpr auto members_of(codec::Tag<RestoreParams>) {
    return codec::members(member("claim", &RestoreParams::claim), member("mode", &RestoreParams::mode).or_default());
}
constexpr auto members_of(codec::Tag<VolumeParams>) {
    return codec::members(member("claim", &VolumeParams::claim),
                          member("fs", &VolumeParams::fs).named(media::file_system_from),
                          member("partition", &VolumeParams::partition).at_least(1).at_most(media::highest_partition));
}
constexpr auto members_of(codec::Tag<RunParams>) {
    return codec::members(
        member("job", &RunParams::job), member("done", &RunParams::done).or_default(),
        member("claim", &RunParams::claim), member("raw", &RunParams::raw).unless_default(),
        member("directory", &RunParams::directory),
        codec::must("claim, directory", has_one_place, "exactly one of the two must name the target of the job"),
        codec::must("directory", is_absolute, "must be an absolute path"),
        codec::must("raw", is_raw_device, "must be false for a directory"));
}

constexpr auto members_of(codec::Tag<DevicesAnswer>) {
    return codec::members(member("devices", &DevicesAnswer::devices));
}
constexpr auto members_of(codec::Tag<IdentifyAnswer>) {
    return codec::members(member("medium", &IdentifyAnswer::medium));
}
constexpr auto members_of(codec::Tag<SupportAnswer>) {
    return codec::members(member("lacks", &SupportAnswer::lacks));
}
constexpr auto members_of(codec::Tag<ClaimAnswer>) {
    return codec::members(member("claim", &ClaimAnswer::claim), member("medium", &ClaimAnswer::medium));
}
constexpr auto members_of(codec::Tag<RunAnswer>) {
    return codec::members(member("cells", &RunAnswer::cells), member("verify", &RunAnswer::verify).or_null(),
                          member("findings", &RunAnswer::findings));
}
constexpr auto members_of(codec::Tag<CancelAnswer>) {
    return codec::members(member("cancelled", &CancelAnswer::cancelled));
}

constexpr auto members_of(codec::Tag<RunNote>) {
    return codec::members(member("request", &RunNote::request));
}
constexpr auto members_of(codec::Tag<ProgressNote>) {
    return codec::members(member("phase", &ProgressNote::phase), member("bytes_done", &ProgressNote::bytes_done),
                          member("bytes_total", &ProgressNote::bytes_total), member("cell", &ProgressNote::cell),
                          member("failures", &ProgressNote::failures).unless_default(),
                          member("first_failure", &ProgressNote::first_failure).unless_default());
}
constexpr auto members_of(codec::Tag<CellNote>) {
    return codec::members(member("result", &CellNote::result), member("samples", &CellNote::samples));
}
constexpr auto members_of(codec::Tag<PluggedNote>) {
    return codec::members(member("kind", &PluggedNote::kind), member("node", &PluggedNote::node));
}

template <class Record>
json to_wire(const Record& record) {
    return codec::encode(record);
}
template <class Record>
Result<Record> from_wire(const json& from) {
    return codec::decode<Record>(from);
}

template json to_wire(const media::ClaimRequest&);
template Result<media::ClaimRequest> from_wire(const json&);
template json to_wire(const HelloParams&);
template Result<HelloParams> from_wire(const json&);
template json to_wire(const TargetParams&);
template Result<TargetParams> from_wire(const json&);
template json to_wire(const SupportParams&);
template Result<SupportParams> from_wire(const json&);
template json to_wire(const SupportAnswer&);
template Result<SupportAnswer> from_wire(const json&);
template json to_wire(const ClaimParams&);
template Result<ClaimParams> from_wire(const json&);
template json to_wire(const FormatParams&);
template Result<FormatParams> from_wire(const json&);
template json to_wire(const ScanParams&);
template Result<ScanParams> from_wire(const json&);
template json to_wire(const RestoreParams&);
template Result<RestoreParams> from_wire(const json&);
template json to_wire(const VolumeParams&);
template Result<VolumeParams> from_wire(const json&);
template json to_wire(const RunParams&);
template Result<RunParams> from_wire(const json&);
template json to_wire(const DevicesAnswer&);
template Result<DevicesAnswer> from_wire(const json&);
template json to_wire(const IdentifyAnswer&);
template Result<IdentifyAnswer> from_wire(const json&);
template json to_wire(const ClaimAnswer&);
template Result<ClaimAnswer> from_wire(const json&);
template json to_wire(const RunAnswer&);
template Result<RunAnswer> from_wire(const json&);
template json to_wire(const CancelAnswer&);
template Result<CancelAnswer> from_wire(const json&);
template json to_wire(const RunNote&);
template Result<RunNote> from_wire(const json&);
template json to_wire(const ProgressNote&);
template Result<ProgressNote> from_wire(const json&);
template json to_wire(const CellNote&);
template Result<CellNote> from_wire(const json&);
template json to_wire(const PluggedNote&);

} // namespace mediarig::agent
