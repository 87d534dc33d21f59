// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/codec.hpp"
#include "host/media/mount/idle/idle.hpp"

namespace mediarig::media {

using codec::member;
using nlohmann::json;

constexpr auto members_of(codec::Tag<IdleReport>) {
    return codec::members(member("counted", &IdleReport::counted), member("silent", &IdleReport::silent),
                          member("waited_ns", &IdleReport::waited), member("read", &IdleReport::read),
                          member("written", &IdleReport::written));
}

json to_json(const IdleReport& report) {
    return codec::encode(report);
}
Result<IdleReport> idle_report_from_json(const json& from) {
    return codec::decode<IdleReport>(from, "idle report");
}
void read_form(const json& from, const codec::Path& at, IdleReport& report, codec::DecodeError& fault) {
    codec::read(from, at, report, fault);
}
void check_form(const IdleReport& report, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(report, at, fault);
}

} // namespace mediarig::media
