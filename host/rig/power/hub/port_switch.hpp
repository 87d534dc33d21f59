// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: switches the supply of one port of one hub. The reported state of a port may differ from the supply at its
/// connector; see hub_qualification.hpp.
#pragma once

#include "host/base/result.hpp"
#include "host/rig/power/hub/uhubctl_text.hpp"
#include "host/rig/power/hub/usb_tree.hpp"

namespace mediarig::rig {

/// State of a port as reported by its hub.
struct HubPortState {
    bool powered{};
    bool connected{};
    PortSwitching switching{PortSwitching::unknown};
    bool operator==(const HubPortState&) const = default;
};

class PortSwitch {
public:
    virtual ~PortSwitch() = default;
    /// Queries only this half. Fails with no_driver (the tool is missing), no_permission, bad_request (no such hub, or
    /// it does not switch its ports), timed_out, bad_format, io_failed.
    [[nodiscard]] virtual Result<HubPortState> state(const UsbPort& half) = 0;
    /// Sends a request for only this half; does not verify the new state.
    [[nodiscard]] virtual Result<void> set(const UsbPort& half, bool on) = 0;
};

} // namespace mediarig::rig
