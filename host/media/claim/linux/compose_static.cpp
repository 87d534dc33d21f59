// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/blkid_probe.hpp"
#include "host/media/claim/linux/hotplug_monitors.hpp"
#include "host/media/claim/linux/linux_discovery.hpp"
#include "host/media/claim/linux/linux_media.hpp"

namespace mediarig::media {

std::unique_ptr<Discovery> make_linux_discovery() {
    return std::make_unique<LinuxDiscovery>(without_udev(), read_signatures_of);
}

Result<std::unique_ptr<HotplugMonitor>> make_hotplug_monitor() {
    return make_kernel_monitor();
}

} // namespace mediarig::media
