// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/codec.hpp"
#include "host/measure/json.hpp"
#include "host/media/format_options.hpp"
#include "host/media/mount/mount.hpp"

namespace mediarig::media {

using codec::member;
using nlohmann::json;

constexpr auto members_of(codec::Tag<VolumeSpan>) {
    return codec::members(member("partition", &VolumeSpan::partition), member("start", &VolumeSpan::start),
                          member("length", &VolumeSpan::length));
}

constexpr auto members_of(codec::Tag<MountReport>) {
    return codec::members(member("mount_point", &MountReport::mount_point), member("driver", &MountReport::driver),
                          member("driver_version", &MountReport::driver_version).or_default(),
                          member("options", &MountReport::options).or_default(), member("total", &MountReport::total),
                          member("free", &MountReport::free), codec::spread("partition", &MountReport::volume),
                          member("through_loop", &MountReport::through_loop).or_default(),
                          member("limits", &MountReport::limits).or_default());
}

json to_json(const MountReport& report) {
    return codec::encode(report);
}
Result<MountReport> mount_report_from_json(const json& from) {
    return codec::decode<MountReport>(from, "mount report");
}
void read_form(const json& from, const codec::Path& at, MountReport& report, codec::DecodeError& fault) {
    codec::read(from, at, report, fault);
}
void check_form(const MountReport& report, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(report, at, fault);
}

} // namespace mediarig::media
