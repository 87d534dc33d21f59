// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/blkid_probe.hpp"
#include "host/media/claim/linux/hotplug_monitors.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/claim/linux/linux_discovery.hpp"
#include "host/media/claim/linux/linux_media.hpp"

#include <utility>

namespace mediarig::media {

std::unique_ptr<Discovery> make_linux_discovery(std::string identities) {
    return std::make_unique<LinuxDiscovery>(with_udev(), read_signatures_of,
                                            KernelQuestions{.identities = std::move(identities)});
}

Result<std::unique_ptr<HotplugMonitor>> make_hotplug_monitor() {
    // Without a running udevd there are no udev events: the virtual lab's guest and many containers have none.
    return exists("/run/udev/control") ? make_udev_monitor() : make_kernel_monitor();
}

} // namespace mediarig::media
