// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig as text and as JSON. Pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/rigproto/messages.hpp"
#include "host/rig/port/rig_log.hpp"

namespace mediarig::cli {

/// State of a rig at one moment.
struct RigView {
    std::string description, path;
    bool read_only{};
    rigproto::HelloReply hello;
    rigproto::StatusReply status;
    std::vector<rigproto::PortStatusReply> ports; ///< the rig's readers, from port 0
    rigproto::Config config;                      ///< positions from the rig file
};

/// Readable text: pockets, ports and readers count from 1.
[[nodiscard]] std::string text_of(const RigView& view);
[[nodiscard]] std::string text_of(const rig::LoggedEvent& event);
[[nodiscard]] std::string text_of(const rigproto::CountersReply& counters);
/// Numbers as in the protocol, from 0; times in microseconds of the board's clock.
[[nodiscard]] nlohmann::json to_json(const RigView& view);
[[nodiscard]] nlohmann::json to_json(const rig::LoggedEvent& event);
[[nodiscard]] nlohmann::json to_json(const rigproto::CountersReply& counters);

} // namespace mediarig::cli
