// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON-RPC 2.0, one message a line. Pure; trusts no byte of what it parses.
/// Source: the JSON-RPC 2.0 specification, sections 4 and 5; batches are left out: a message a line needs none.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <variant>

#include "host/base/result.hpp"

namespace mediarig::agent {

/// Error codes on the wire; the first four are JSON-RPC's own.
enum class RpcCode : int {
    parse_error = -32700,
    invalid_request = -32600,
    unknown_method = -32601,
    invalid_params = -32602,
    failed = -32000, ///< understood, and failed: see RpcError::errc
    oversized = -32001,
    hello_first = -32002,
};

struct RpcError {
    RpcCode code{};
    std::string message;      ///< one line for people
    std::optional<Errc> errc; ///< always set for `failed`
    bool operator==(const RpcError&) const = default;
};

/// `id` is an integer or a string, as the sender likes it.
struct Request {
    nlohmann::json id;
    std::string method;
    nlohmann::json params = nlohmann::json::object();
    bool operator==(const Request&) const = default;
};
struct Notification {
    std::string method;
    nlohmann::json params = nlohmann::json::object();
    bool operator==(const Notification&) const = default;
};
/// `id` is null where the request's id could not be read.
struct Response {
    nlohmann::json id;
    tl::expected<nlohmann::json, RpcError> outcome;
};
using Message = std::variant<Request, Notification, Response>;

/// Why a line is no message, and the id to answer to (null where there is none).
struct Malformed {
    RpcError error;
    nlohmann::json id;
};
[[nodiscard]] tl::expected<Message, Malformed> parse_message(std::string_view line);

/// One line with its "\n". Text that is no UTF-8 (names that devices make up) gets replacement characters.
[[nodiscard]] std::string serialise(const Request& request);
[[nodiscard]] std::string serialise(const Notification& notification);
[[nodiscard]] std::string serialise(const Response& response);

/// `failed`, with the error's code and detail.
[[nodiscard]] RpcError to_rpc(const Error& error);
/// The inverse, for the side that asked. Codes without an errc of their own: unknown_method, invalid_params and
/// invalid_request are bad_request; parse_error, oversized and hello_first are bad_format.
[[nodiscard]] Error from_rpc(const RpcError& error);

/// What both sides say first. Pure; crosses the wire as JSON.

/// Grows by one whenever an older peer could misunderstand a message; new optional members do not count.
inline constexpr std::uint32_t protocol_version = 1;

struct HelloReport {
    std::uint32_t protocol{};
    std::string agent_version;
    std::string host_name;
    std::string kernel;          ///< "Linux 6.1.0-18-amd64"
    std::string cpu;             ///< as the machine calls it; empty where unknown
    std::uint32_t processors{1}; ///< that a measurement can run on
    bool privileged{};           ///< may claim, format and mount
    /// Every tool the agent knows to use and its version; nothing where it is not installed.
    std::map<std::string, std::optional<std::string>> tools;
    bool operator==(const HelloReport&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const HelloReport& report);
/// Fails with bad_format, naming the member.
[[nodiscard]] Result<HelloReport> hello_report_from_json(const nlohmann::json& json);

} // namespace mediarig::agent
