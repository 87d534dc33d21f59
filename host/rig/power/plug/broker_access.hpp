// SPDX-License-Identifier: GPL-3.0-or-later
/// Who we are at an MQTT broker, and how the way there is encrypted: from a file that only its owner reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "host/base/result.hpp"

namespace mediarig::rig {

struct BrokerAccess {
    std::string user, password;      ///< empty: nobody in particular
    std::filesystem::path authority; ///< PEM file of the certificates that vouch for the broker; set: encrypted
    bool operator==(const BrokerAccess&) const = default;
};

/// What `text` says of this broker; nothing where it says nothing. Fails with bad_request: "PLACE: reason" of the first
/// fault, whatever broker it is about.
[[nodiscard]] Result<BrokerAccess> parse_broker_access(std::string_view text, std::string_view host,
                                                       std::uint16_t port);

/// The same from a file; nothing where there is none, or `file` is empty. Fails with no_permission where others than
/// its owner may read or change it, and with bad_request, io_failed.
[[nodiscard]] Result<BrokerAccess> broker_access(const std::filesystem::path& file, std::string_view host,
                                                 std::uint16_t port);

} // namespace mediarig::rig
