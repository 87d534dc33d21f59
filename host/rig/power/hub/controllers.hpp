// SPDX-License-Identifier: GPL-3.0-or-later
/// USB host controllers and their load: with many readers, devices and endpoints run out before bandwidth does. From
/// sysfs, and from debugfs if this process may read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::rig {

struct UsbController {
    std::string place;  ///< in the form of media::Medium::uplinks
    unsigned devices{}; ///< including hubs, except the controller's own
    unsigned endpoints{};
    /// MaxSlots of xHCI's HCSPARAMS1 (xHCI 1.2, section 5.3.3); unset if it cannot be read.
    std::optional<unsigned> most_devices{};
    bool operator==(const UsbController&) const = default;
};

/// Number of endpoints that common controllers support; no register contains this number.
inline constexpr unsigned usual_endpoints = 96;
/// Part of the device limit and of the endpoint limit that readers may use.
inline constexpr double filled_part = 0.9;
/// Number of endpoints of a reader or bridge: one for control, and with UAS two for each direction.
inline constexpr unsigned endpoints_of_reader = 5;

/// Sorted by place. Fails with io_failed.
[[nodiscard]] Result<std::vector<UsbController>> usb_controllers();
/// Returns the controller for a device at this USB path ("2-1.4"), present or not. Empty if there is no such bus.
[[nodiscard]] std::string controller_of(std::string_view path);

/// Returns the number of further readers that fit.
[[nodiscard]] unsigned free_reader_count(const UsbController& controller);

/// Checks that readers at these USB paths, with the given number active at once, fit their controllers in addition to
/// the devices that are plugged in. Fails with bad_request (the detail names the controller and the number that fits),
/// and like usb_controllers(). Ignores paths of missing buses.
[[nodiscard]] Result<void> check_free_space(const std::vector<std::string>& paths, std::size_t at_once);

} // namespace mediarig::rig
