// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/agent/protocol/message.hpp"

#include <array>
#include <cstddef>

#include "host/base/json/codec.hpp"
#include "host/base/json/json_text.hpp"

namespace mediarig::agent {
namespace {

using nlohmann::json;

/// Maximum depth of a message; valid messages nest at most ten levels. Copying and printing a JSON value are recursive,
/// so a line of a million brackets would end the process.
constexpr std::size_t deepest_nesting = 64;

bool nests_too_deeply(std::string_view text) {
    std::size_t depth = 0;
    bool in_string = false;
    bool escaped = false;
    for (const char c : text) {
        if (escaped) {
            escaped = false;
        } else if (in_string) {
            if (c == '\\') escaped = true;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest_nesting) return true;
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return false;
}

tl::unexpected<InvalidMessage> malformed(RpcCode code, std::string message, json id = nullptr) {
    return tl::unexpected(InvalidMessage{{code, std::move(message), std::nullopt}, std::move(id)});
}

bool is_id(const json& id) {
    return id.is_number_integer() || id.is_string();
}

/// Any integer is an error code; an unknown code counts as a failure of the other side.
RpcCode code_of(const json& code) {
    constexpr std::array known{RpcCode::parse_error,    RpcCode::invalid_request, RpcCode::unknown_method,
                               RpcCode::invalid_params, RpcCode::failed,          RpcCode::oversized,
                               RpcCode::hello_first};
    for (const RpcCode candidate : known)
        if (code == static_cast<int>(candidate)) return candidate;
    return RpcCode::failed;
}

tl::expected<RpcMessage, InvalidMessage> parse_response(const json& object, const json& id) {
    if (object.contains("result") == object.contains("error"))
        return malformed(RpcCode::invalid_request, "a response has either result or error", id);
    if (object.contains("result")) return Response{id, object["result"]};

    const json& error = object["error"];
    if (!error.is_object() || !error.contains("code") || !error["code"].is_number_integer() ||
        !error.contains("message") || !error["message"].is_string())
        return malformed(RpcCode::invalid_request, "error: needs an integer code and a string message", id);
    RpcError parsed{code_of(error["code"]), error["message"], std::nullopt};
    if (parsed.code == RpcCode::failed) {
        const json data = error.value("data", json::object());
        const auto name = data.is_object() ? data.find("errc") : data.end();
        const auto errc = name != data.end() && name->is_string() ? from_name<Errc>(name->get<std::string>())
                                                                  : Result<Errc>(Errc::bad_format);
        parsed.errc = errc.value_or(Errc::bad_format);
    }
    return Response{id, tl::unexpected(std::move(parsed))};
}

std::string line_of(const json& object) {
    return codec::json_line(object) + "\n";
}

} // namespace

tl::expected<RpcMessage, InvalidMessage> parse_message(std::string_view line) {
    // The JSON library treats NUL as the end of the text and would accept the text before it.
    if (line.find('\0') != std::string_view::npos)
        return malformed(RpcCode::parse_error, "the line contains a NUL byte: send one JSON text per line, in UTF-8");
    if (nests_too_deeply(line)) return malformed(RpcCode::parse_error, "the line nests deeper than 64 levels");
    const json object = codec::read_json(line);
    if (object.is_discarded()) return malformed(RpcCode::parse_error, "the line is not JSON in UTF-8");
    if (object.is_array())
        return malformed(RpcCode::invalid_request, "batches are not supported: send one message per line");
    if (!object.is_object()) return malformed(RpcCode::invalid_request, "a message is a JSON object");

    const json id = object.value("id", json());
    const json answer_to = is_id(id) ? id : json();
    if (object.value("jsonrpc", json()) != "2.0")
        return malformed(RpcCode::invalid_request, "jsonrpc: must be \"2.0\"", answer_to);
    if (!object.contains("method")) {
        if (!object.contains("result") && !object.contains("error"))
            return malformed(RpcCode::invalid_request, "method: missing", answer_to);
        if (!object.contains("id") || (!is_id(id) && !id.is_null()))
            return malformed(RpcCode::invalid_request, "id: must be an integer or a string");
        return parse_response(object, id);
    }
    if (!object["method"].is_string())
        return malformed(RpcCode::invalid_request, "method: must be a string", answer_to);
    json params = object.value("params", json::object());
    if (!params.is_structured()) return malformed(RpcCode::invalid_request, "params: must be an object", answer_to);
    if (!object.contains("id")) return Notification{object["method"], std::move(params)};
    if (!is_id(id)) return malformed(RpcCode::invalid_request, "id: must be an integer or a string");
    return RpcRequest{id, object["method"], std::move(params)};
}

std::string serialise(const RpcRequest& request) {
    return line_of({{"jsonrpc", "2.0"}, {"id", request.id}, {"method", request.method}, {"params", request.params}});
}

std::string serialise(const Notification& notification) {
    return line_of({{"jsonrpc", "2.0"}, {"method", notification.method}, {"params", notification.params}});
}

std::string serialise(const Response& response) {
    json object{{"jsonrpc", "2.0"}, {"id", response.id}};
    if (response.outcome) {
        object["result"] = *response.outcome;
    } else {
        const RpcError& error = response.outcome.error();
        json wire{{"code", static_cast<int>(error.code)}, {"message", error.message}};
        if (error.errc) wire["data"] = {{"errc", name_of(*error.errc)}};
        object["error"] = std::move(wire);
    }
    return line_of(object);
}

RpcError to_rpc(const Error& error) {
    return {RpcCode::failed, error.detail, error.code};
}

Error from_rpc(const RpcError& error) {
    switch (error.code) {
        case RpcCode::unknown_method:
        case RpcCode::invalid_params:
        case RpcCode::invalid_request:
            return {Errc::bad_request, error.message};
        case RpcCode::parse_error:
        case RpcCode::oversized:
        case RpcCode::hello_first:
            return {Errc::bad_format, error.message};
        case RpcCode::failed:
            break;
    }
    return {error.errc.value_or(Errc::bad_format), error.message};
}

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
