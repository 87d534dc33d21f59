// SPDX-License-Identifier: GPL-3.0-or-later
/// Credentials and encryption for an MQTT broker, from a file that only its owner can read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::rig {

struct BrokerAccess {
    std::string user, password; ///< empty: anonymous
    std::filesystem::path
        authority; ///< PEM file of the certificates to verify the broker; if set, the connection is encrypted
    bool operator==(const BrokerAccess&) const = default;
};

/// Returns the entry of this broker in `text`; empty if absent. Fails with bad_request: "PLACE: reason" of the first
/// fault, in the entry of any broker.
[[nodiscard]] Result<BrokerAccess> parse_broker_access(std::string_view text, std::string_view host,
                                                       std::uint16_t port);

/// Reads the entry from a file; empty if `file` is empty or does not exist. Fails with no_permission if users other
/// than the owner can read or change it, and with bad_request, io_failed.
[[nodiscard]] Result<BrokerAccess> broker_access(const std::filesystem::path& file, std::string_view host,
                                                 std::uint16_t port);

} // namespace mediarig::rig
