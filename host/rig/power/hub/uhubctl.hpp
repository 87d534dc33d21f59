// SPDX-License-Identifier: GPL-3.0-or-later
/// Switches hub ports with the program uhubctl.
#pragma once

#include <string>

#include "host/rig/power/hub/port_switch.hpp"

namespace mediarig::rig {

class Uhubctl final : public PortSwitch {
public:
    /// `program`: a name to find in the system's folders, or a path.
    explicit Uhubctl(std::string program = "uhubctl") : program_(std::move(program)) {}

    Result<HubPortState> state(const UsbPort& half) override;
    Result<void> set(const UsbPort& half, bool on) override;

private:
    [[nodiscard]] Result<std::vector<PrintedHub>> call(const UsbPort& half, std::vector<std::string> more);
    std::string program_;
};

} // namespace mediarig::rig
