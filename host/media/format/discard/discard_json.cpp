// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/json/codec.hpp"
#include "host/media/format/discard/discard.hpp"

namespace mediarig::media {

using codec::member;
using nlohmann::json;

constexpr auto members_of(codec::Tag<DiscardReport>) {
    return codec::members(member("taken", &DiscardReport::taken), member("length", &DiscardReport::length),
                          member("elapsed_ns", &DiscardReport::elapsed), member("zeros", &DiscardReport::zeros),
                          member("ones", &DiscardReport::ones), member("kept", &DiscardReport::kept),
                          member("other", &DiscardReport::other));
}

json to_json(const DiscardReport& report) {
    return codec::encode(report);
}
Result<DiscardReport> discard_report_from_json(const json& from) {
    return codec::decode<DiscardReport>(from, "discard report");
}
void read_form(const json& from, const codec::Path& at, DiscardReport& report, codec::DecodeError& fault) {
    codec::read(from, at, report, fault);
}
void check_form(const DiscardReport& report, const codec::Path& at, codec::DecodeError& fault) {
    codec::check(report, at, fault);
}

} // namespace mediarig::media
