// SPDX-License-Identifier: GPL-3.0-or-later
/// USB host controllers and how full they are: not bandwidth but devices and endpoints end first where many readers are
/// plugged in. From sysfs, and from debugfs where this process may read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace mediarig::rig {

struct UsbController {
    std::string place;  ///< named as in media::Medium::uplinks
    unsigned devices{}; ///< hubs too, but for the controller's own
    unsigned endpoints{};
    /// MaxSlots of xHCI's HCSPARAMS1 (xHCI 1.2, section 5.3.3); nothing where it cannot be read.
    std::optional<unsigned> most_devices{};
    bool operator==(const UsbController&) const = default;
};

/// No register tells how many endpoints a controller keeps; so many do the common ones.
inline constexpr unsigned usual_endpoints = 96;
/// Of both, so much is given out.
inline constexpr double filled_part = 0.9;
/// Of a reader or bridge: control, and two for each direction where it speaks UAS.
inline constexpr unsigned endpoints_of_reader = 5;

/// Sorted by place. Fails with io_failed.
[[nodiscard]] Result<std::vector<UsbController>> usb_controllers();
/// That of a device at this USB path, whether or not one is there: "2-1.4". Empty where there is no such bus.
[[nodiscard]] std::string controller_of(std::string_view path);

/// How many more readers fit.
[[nodiscard]] unsigned room_for_readers(const UsbController& controller);

/// Whether readers at these USB paths, so many of them at work at once, fit their controllers beside what is plugged
/// in. Fails with bad_request, naming the controller and how many fit, and as usb_controllers(). Paths of buses that
/// are not there are passed over.
[[nodiscard]] Result<void> check_room(const std::vector<std::string>& paths, std::size_t at_once);

} // namespace mediarig::rig
