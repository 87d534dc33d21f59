// SPDX-License-Identifier: GPL-3.0-or-later
/// The QEMU machine protocol: one JSON object per line. Pure; validates all input. Source: QEMU, "QEMU Machine Protocol
/// Specification" (docs/interop/qmp-spec), sections 2.2 to 2.5.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "host/base/result.hpp"

namespace mediarig::lab {

/// One command, in the terms of the protocol. Argument names contain dashes.
struct QmpCommand {
    std::string execute;
    nlohmann::json arguments = nlohmann::json::object();
    bool operator==(const QmpCommand&) const = default;
};

/// First message of a connection, sent once.
struct QmpGreeting {
    std::string version; ///< "7.2.22"
};
/// May arrive between answers.
struct QmpEvent {
    std::string name;
    nlohmann::json data = nlohmann::json::object();
};
struct QmpAnswer {
    std::uint64_t id{};
    tl::expected<nlohmann::json, std::string> outcome; ///< the description of the error otherwise
};
using QmpMessage = std::variant<QmpGreeting, QmpEvent, QmpAnswer>;

/// Fails with bad_format.
[[nodiscard]] Result<QmpMessage> parse_qmp(std::string_view line);
/// Returns one line with its "\n".
[[nodiscard]] std::string serialise(const QmpCommand& command, std::uint64_t id);

} // namespace mediarig::lab
