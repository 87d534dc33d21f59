// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON-RPC 2.0, one message per line. Pure; accepts untrusted input. Source: the JSON-RPC 2.0 specification, sections
/// 4 and 5; batches are not supported because each line is one message.
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

/// Error codes of the protocol; the first four come from JSON-RPC.
enum class RpcCode : int {
    parse_error = -32700,
    invalid_request = -32600,
    unknown_method = -32601,
    invalid_params = -32602,
    failed = -32000, ///< the request was valid but failed: see RpcError::errc
    oversized = -32001,
    hello_first = -32002,
};

struct RpcError {
    RpcCode code{};
    std::string message;      ///< one line of readable text
    std::optional<Errc> errc; ///< always set for `failed`
    bool operator==(const RpcError&) const = default;
};

/// `id` is an integer or a string of the sender's choice.
struct RpcRequest {
    nlohmann::json id;
    std::string method;
    nlohmann::json params = nlohmann::json::object();
    bool operator==(const RpcRequest&) const = default;
};
struct Notification {
    std::string method;
    nlohmann::json params = nlohmann::json::object();
    bool operator==(const Notification&) const = default;
};
/// null if the request's id is unreadable
struct Response {
    nlohmann::json id;
    tl::expected<nlohmann::json, RpcError> outcome;
};
using RpcMessage = std::variant<RpcRequest, Notification, Response>;

/// Reason why a line is invalid, and the id for the answer (null if unknown).
struct InvalidMessage {
    RpcError error;
    nlohmann::json id;
};
[[nodiscard]] tl::expected<RpcMessage, InvalidMessage> parse_message(std::string_view line);

/// The message as one line with its "\n". Invalid UTF-8 (in names from devices) becomes replacement characters.
[[nodiscard]] std::string serialise(const RpcRequest& request);
[[nodiscard]] std::string serialise(const Notification& notification);
[[nodiscard]] std::string serialise(const Response& response);

/// Converts an Error to `failed` with its code and detail.
[[nodiscard]] RpcError to_rpc(const Error& error);
/// Inverse of to_rpc() for the caller. Codes without an errc: unknown_method, invalid_params and invalid_request become
/// bad_request; parse_error, oversized and hello_first become bad_format.
[[nodiscard]] Error from_rpc(const RpcError& error);

/// Version of the protocol. Incremented whenever an older peer could misunderstand a message; new optional members do
/// not count.
inline constexpr std::uint32_t protocol_version = 1;

struct HelloReport {
    std::uint32_t protocol{};
    std::string agent_version;
    std::string host_name;
    std::string kernel;          ///< "Linux 6.1.0-18-amd64"
    std::string cpu;             ///< name reported by the machine; empty if unknown
    std::uint32_t processors{1}; ///< number of processors usable for a measurement
    bool privileged{};           ///< true if the agent may claim, format and mount
    /// Version of every tool that the agent can use; empty if the tool is not installed.
    std::map<std::string, std::optional<std::string>> tools;
    bool operator==(const HelloReport&) const = default;
};

[[nodiscard]] nlohmann::json to_json(const HelloReport& report);
/// Parses a report. Fails with bad_format, naming the member.
[[nodiscard]] Result<HelloReport> hello_report_from_json(const nlohmann::json& json);

} // namespace mediarig::agent
