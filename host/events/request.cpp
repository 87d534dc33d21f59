// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/events/request.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "host/names.hpp"

namespace mediarig::events {
namespace {

constexpr std::array<Name<Request>, 3> request_names{
    {{Request::stop, "stop"}, {Request::pause, "pause"}, {Request::go_on, "continue"}}};

} // namespace

std::string_view name_of(Request request) {
    return name_in(request_names, request);
}

Result<Request> parse_request(std::string_view line) {
    const auto wrong = [] {
        return fail(Errc::bad_request, R"(a request is {"do": "stop"}, {"do": "pause"} or {"do": "continue"})");
    };
    if (line.size() > longest_request) return wrong();
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) return wrong();
    const auto wanted = json.find("do");
    if (wanted == json.end() || !wanted->is_string()) return wrong();
    const auto request = value_in(request_names, wanted->get_ref<const std::string&>());
    if (!request) return wrong();
    return *request;
}

std::string line_of(Request request) {
    return nlohmann::json{{"do", name_of(request)}}.dump() + '\n';
}

} // namespace mediarig::events
