// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: switching the supply of one port of one hub. What a hub says of a port is not what its connector carries; see
/// hub_qualification.hpp.
#pragma once

#include "host/base/result.hpp"
#include "host/rig/power/hub/uhubctl_text.hpp"
#include "host/rig/power/hub/usb_tree.hpp"

namespace mediarig::rig {

/// A port as its hub tells it.
struct HubPortState {
    bool powered{};
    bool connected{};
    PortSwitching switching{PortSwitching::unknown};
    bool operator==(const HubPortState&) const = default;
};

class PortSwitch {
public:
    virtual ~PortSwitch() = default;
    /// Of this half alone. Fails with no_driver (the tool is missing), no_permission, bad_request (no such hub, or it
    /// does not switch its ports), timed_out, bad_format, io_failed.
    [[nodiscard]] virtual Result<HubPortState> state(const UsbPort& half) = 0;
    /// Asks this half alone; the state after it is not known by that.
    [[nodiscard]] virtual Result<void> set(const UsbPort& half, bool on) = 0;
};

} // namespace mediarig::rig
