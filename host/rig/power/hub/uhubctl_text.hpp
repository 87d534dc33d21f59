// SPDX-License-Identifier: GPL-3.0-or-later
/// Parser for the output of uhubctl. Source: uhubctl 2.5.0 and 2.6.0, print_port_status() and main(). With -N it prints
/// no strings of devices, so no product string can imitate a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"

namespace mediarig::rig {

using mediarig::name_of;

/// Switching mode reported by the hub (wHubCharacteristics, bits 1..0).
BOOST_DEFINE_FIXED_ENUM_CLASS(PortSwitching, std::uint8_t, individual, ganged, none, unknown)

struct PrintedPort {
    unsigned number{};      ///< from 1
    std::uint16_t status{}; ///< wPortStatus
    bool powered{};         ///< as reported by the hub; does not prove the state of VBUS
    bool connected{};
    bool over_current{};
    bool operator==(const PrintedPort&) const = default;
};

struct PrintedHub {
    std::string location; ///< "1-1.4"; "1" for a root hub
    bool after{};         ///< printed after the switching request, not before
    unsigned ports{};     ///< number of ports; 0: not reported
    PortSwitching switching{PortSwitching::unknown};
    std::vector<PrintedPort> printed; ///< requested ports
};

/// Returns the hubs in the printed order. Skips lines without a state ("Sent power off request"). Fails with
/// bad_format; the detail contains the line.
[[nodiscard]] Result<std::vector<PrintedHub>> parse_uhubctl(std::string_view text);

} // namespace mediarig::rig
