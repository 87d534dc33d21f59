// SPDX-License-Identifier: GPL-3.0-or-later
/// What is said to mains plugs, and what they say. Sources: Tasmota documentation, "Commands" (Power, Status 10,
/// SetOption21); Shelly API reference, "MQTT" of the first generation, and "Switch" and "RPC over MQTT" of the second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/rig/power/plug/plug_address.hpp"

namespace mediarig::rig {

struct PlugMessage {
    std::string topic, payload;
    bool operator==(const PlugMessage&) const = default;
};

/// Its answers come on these. `client`: our own name at the broker, to which RPC is answered.
[[nodiscard]] std::vector<std::string> plug_subscriptions(const PlugAddress& plug, const std::string& client);
[[nodiscard]] PlugMessage switch_message(const PlugAddress& plug, const std::string& client, bool on,
                                         std::uint32_t request);
/// Asks for the power.
[[nodiscard]] PlugMessage reading_message(const PlugAddress& plug, const std::string& client, std::uint32_t request);
/// Asks whether it measures on while its relay is off, where that is a setting: a Tasmota without it says 0 W as soon
/// as it was told to switch off, whatever flows.
[[nodiscard]] std::optional<PlugMessage> off_metering_message(const PlugAddress& plug);

/// One message of a plug.
struct PlugReport {
    std::optional<bool> on;               ///< what it claims of its relay
    std::optional<double> watts;          ///< what it measures; 0 to 100 000
    std::optional<std::uint32_t> request; ///< that it answers, where it tells
    std::optional<bool> meters_when_off;  ///< see off_metering_message()
    std::optional<std::string> error;     ///< its own words
    bool operator==(const PlugReport&) const = default;
};
/// Empty where the message is none of this plug, or says nothing that is known. No content is an error: a broker
/// carries anybody's words.
[[nodiscard]] PlugReport read_plug_message(const PlugAddress& plug, const std::string& client, std::string_view topic,
                                           std::string_view payload);

} // namespace mediarig::rig
