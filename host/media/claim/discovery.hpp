// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: which block devices are there. Adapters: linux/ (libudev, or sysfs and kernel events in a static build),
/// image/.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// Loop devices that the asker attached or holds itself.
using OwnDevices = std::vector<DeviceNumber>;

class Discovery {
public:
    virtual ~Discovery() = default;
    /// Every whole block device, with its identity and its refusals, in the order of their names.
    [[nodiscard]] virtual Result<std::vector<Medium>> list() = 0;
    /// One target: a device node (symbolic links are followed) or an image file. What `own` lists is the asker's own
    /// and no reason to refuse what lies below it.
    /// Fails with bad_request (a directory, no such file, not a block device), no_medium, no_permission.
    [[nodiscard]] virtual Result<Medium> identify(const std::string& target, const OwnDevices& own) = 0;
    [[nodiscard]] Result<Medium> identify(const std::string& target) { return identify(target, {}); }
};

enum class HotplugKind : std::uint8_t { added, changed, removed };
struct HotplugEvent {
    HotplugKind kind{};
    std::string node;
    DeviceNumber number;
    std::string sysfs_path;
};

/// Port: plug events. `descriptor()` becomes readable when `next()` has something; no thread of its own.
class HotplugMonitor {
public:
    virtual ~HotplugMonitor() = default;
    [[nodiscard]] virtual int descriptor() const = 0;
    /// Nothing when no event waits.
    [[nodiscard]] virtual std::optional<HotplugEvent> next() = 0;
};

} // namespace mediarig::media
