// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: lists and identifies block devices. Adapters: linux/ (libudev, or sysfs and kernel events in a static build),
/// image/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

using mediarig::name_of;

/// Loop devices that the caller attached or holds.
using OwnDevices = std::vector<DeviceNumber>;

class Discovery {
public:
    virtual ~Discovery() = default;
    /// All whole block devices with identity and refusals, sorted by name.
    [[nodiscard]] virtual Result<std::vector<Medium>> list() = 0;
    /// Identifies one target: a device node (symbolic links are followed) or an image file. Devices in `own` belong to
    /// the caller and cause no refusal of the devices below them. Fails with bad_request (a directory, no such file,
    /// not a block device), no_medium, no_permission.
    [[nodiscard]] virtual Result<Medium> identify(const std::string& target, const OwnDevices& own) = 0;
    [[nodiscard]] Result<Medium> identify(const std::string& target) { return identify(target, {}); }
};

BOOST_DEFINE_FIXED_ENUM_CLASS(HotplugKind, std::uint8_t, added, changed, removed)
struct HotplugEvent {
    HotplugKind kind{};
    std::string node;
    DeviceNumber number;
    std::string sysfs_path;
};

/// Port: hotplug events. `descriptor()` becomes readable when `next()` has an event; the port needs no thread.
class HotplugMonitor {
public:
    virtual ~HotplugMonitor() = default;
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Returns nothing if no event is queued.
    [[nodiscard]] virtual std::optional<HotplugEvent> next() = 0;
};

} // namespace mediarig::media
