// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/events/request.hpp"

#include "host/base/enum_names.hpp"
#include "host/base/json/json_text.hpp"
#include "host/base/json/reader.hpp"
#include "host/base/json/source.hpp"

namespace mediarig::events {

Result<ControlRequest> parse_request(std::string_view line) {
    strict_json::Faults faults;
    std::optional<ControlRequest> request;
    const auto json = line.size() <= longest_request ? strict_json::read_source(line, faults) : std::nullopt;
    if (json) {
        strict_json::Members members({.value = &*json, .pointer = {}, .faults = &faults});
        if (const auto wanted = members.need("do", "add the request"))
            request = strict_json::read_choice<ControlRequest>(*wanted, "request");
        members.refuse_unknown();
    }
    if (request && faults.count() == 0) return *request;
    return fail(Errc::bad_request,
                R"(a request is {"do": "stop"}, {"do": "pause"} or {"do": "continue"}, and nothing else)");
}

std::string line_of(ControlRequest request) {
    return codec::json_line({{"do", name_of(request)}}) + '\n';
}

} // namespace mediarig::events
