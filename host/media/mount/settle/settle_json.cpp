// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/codec.hpp"
#include "host/media/mount/settle/settle.hpp"

namespace mediarig::media {

using codec::member;
using nlohmann::json;

constexpr auto members_of(codec::Tag<SettleReport>) {
    return codec::members(member("counted", &SettleReport::counted), member("silent", &SettleReport::silent),
                          member("waited_ns", &SettleReport::waited), member("read", &SettleReport::read),
                          member("written", &SettleReport::written));
}

json to_json(const SettleReport& report) {
    return codec::encode(report);
}
Result<SettleReport> settle_report_from_json(const json& from) {
    return codec::decode<SettleReport>(from, "settle report");
}
void read_form(const json& from, const codec::Path& at, SettleReport& report, codec::DecodeError& fault) {
    codec::read(from, at, report, fault);
}
void check_form(const SettleReport& report, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(report, at, fault);
}

} // namespace mediarig::media
