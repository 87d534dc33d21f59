// SPDX-License-Identifier: GPL-3.0-or-later
/// What uhubctl prints. Source: uhubctl 2.5.0 and 2.6.0, print_port_status() and main(). Called with -N, it prints
/// nothing that a device says of itself, so that no product string can pass for a line of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::rig {

/// How a hub says that it switches its ports (wHubCharacteristics, bits 1..0).
enum class PortSwitching : std::uint8_t { individual, ganged, none, unknown };

struct PrintedPort {
    unsigned number{};      ///< from 1
    std::uint16_t status{}; ///< wPortStatus
    bool powered{};         ///< as the hub says: whether VBUS is there is another question
    bool connected{};
    bool over_current{};
    bool operator==(const PrintedPort&) const = default;
};

struct PrintedHub {
    std::string location; ///< "1-1.4"; "1" for a root hub
    bool after{};         ///< after a request to switch, not before it
    unsigned ports{};     ///< that it has; 0: not told
    PortSwitching switching{PortSwitching::unknown};
    std::vector<PrintedPort> printed; ///< those that were asked for
};

/// In the order in which they were printed. Lines of other kinds ("Sent power off request") say nothing of a state and
/// are skipped. Fails with bad_format, naming the line.
[[nodiscard]] Result<std::vector<PrintedHub>> parse_uhubctl(std::string_view text);

} // namespace mediarig::rig
