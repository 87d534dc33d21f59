// SPDX-License-Identifier: GPL-3.0-or-later
/// Messages to and from mains plugs. Sources: Tasmota documentation, "Commands" (Power, Status 10, SetOption21); Shelly
/// API reference, "MQTT" of the first generation, and "Switch" and "RPC over MQTT" of the second.
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

/// Returns the topics of the plug's answers. `client`: own name at the broker, to which RPC answers are sent.
[[nodiscard]] std::vector<std::string> plug_subscriptions(const PlugAddress& plug, const std::string& client);
[[nodiscard]] PlugMessage switch_message(const PlugAddress& plug, const std::string& client, bool on,
                                         std::uint32_t request);
/// Returns a request for the power.
[[nodiscard]] PlugMessage reading_message(const PlugAddress& plug, const std::string& client, std::uint32_t request);
/// Returns a request for the setting that lets the plug measure while its relay is off, if it has such a setting. With
/// this setting off, a Tasmota reports 0 W after it was switched off, whatever the actual power.
[[nodiscard]] std::optional<PlugMessage> off_metering_message(const PlugAddress& plug);

/// Contents of one message from a plug.
struct PlugReport {
    std::optional<bool> on;               ///< reported state of the relay
    std::optional<double> watts;          ///< measured power; 0 to 100 000
    std::optional<std::uint32_t> request; ///< the request that the message answers, if stated
    std::optional<bool> meters_when_off;  ///< see off_metering_message()
    std::optional<std::string> error;     ///< error text of the plug
    bool operator==(const PlugReport&) const = default;
};
/// Empty if the message is not from this plug or contains nothing known. Unknown contents cause no error, because any
/// client can publish at a broker.
[[nodiscard]] PlugReport read_plug_message(const PlugAddress& plug, const std::string& client, std::string_view topic,
                                           std::string_view payload);

} // namespace mediarig::rig
