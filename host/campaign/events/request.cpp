// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/events/request.hpp"

#include <array>

#include "host/base/enum_names.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"

namespace mediarig::events {
namespace {

constexpr std::array<Name<ControlRequest>, 3> request_names{
    {{ControlRequest::stop, "stop"}, {ControlRequest::pause, "pause"}, {ControlRequest::go_on, "continue"}}};

} // namespace

std::string_view name_of(ControlRequest request) {
    return name_in(request_names, request);
}

Result<ControlRequest> parse_request(std::string_view line) {
    strict_json::Faults faults;
    std::optional<ControlRequest> request;
    const auto json = line.size() <= longest_request ? strict_json::read_source(line, faults) : std::nullopt;
    if (json) {
        strict_json::Members members({.value = &*json, .pointer = {}, .faults = &faults});
        if (const auto wanted = members.need("do", "add the request"))
            request = strict_json::read_choice(*wanted, "request", request_names);
        members.refuse_unknown();
    }
    if (request && faults.count() == 0) return *request;
    return fail(Errc::bad_request,
                R"(a request is {"do": "stop"}, {"do": "pause"} or {"do": "continue"}, and no more)");
}

std::string line_of(ControlRequest request) {
    return codec::json_line({{"do", name_of(request)}}) + '\n';
}

} // namespace mediarig::events
