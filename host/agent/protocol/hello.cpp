// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/protocol/hello.hpp"

#include "host/json/codec.hpp"

namespace mediarig::agent {

using codec::member;
using nlohmann::json;

constexpr auto members_of(codec::Tag<HelloReport>) {
    return codec::members(
        member("protocol", &HelloReport::protocol), member("agent", &HelloReport::agent_version),
        codec::group("host", member("name", &HelloReport::host_name), member("kernel", &HelloReport::kernel),
                     member("cpu", &HelloReport::cpu), member("processors", &HelloReport::processors)),
        member("privileged", &HelloReport::privileged), member("tools", &HelloReport::tools));
}

json to_json(const HelloReport& report) {
    return codec::encode(report);
}
Result<HelloReport> hello_report_from_json(const json& from) {
    return codec::decode<HelloReport>(from);
}

} // namespace mediarig::agent
