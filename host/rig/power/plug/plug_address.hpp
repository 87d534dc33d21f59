// SPDX-License-Identifier: GPL-3.0-or-later
/// Address of a mains plug at an MQTT broker: "tasmota:desk@localhost",
/// "shelly2:shellyplus1pm-a8032ab12345@10.0.0.2:1884".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"

namespace mediarig::rig {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(PlugKind, std::uint8_t,
                              tasmota, ///< Tasmota's MQTT commands
                              shelly1, ///< Shelly's first generation: topics below shellies/
                              shelly2  ///< second generation and later: RPC over MQTT
)

struct PlugAddress {
    PlugKind kind{};
    std::string topic; ///< the plug's part of its topics: no white space, '+', '#'
    std::string host;
    std::uint16_t port{1883};
    bool operator==(const PlugAddress&) const = default;
    [[nodiscard]] std::string text() const; ///< in the form of user input
};

/// Address of a broker.
struct BrokerAddress {
    std::string host;
    std::uint16_t port{};
};
/// Reads "HOST" or "HOST:PORT"; nothing for another form.
[[nodiscard]] std::optional<BrokerAddress> broker_place(std::string_view text);

/// Fails with bad_request.
[[nodiscard]] Result<PlugAddress> plug_address(std::string_view text);

} // namespace mediarig::rig
