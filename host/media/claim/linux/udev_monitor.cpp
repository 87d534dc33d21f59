// SPDX-License-Identifier: GPL-3.0-or-later
#include <libudev.h>
#include <sys/sysmacros.h>

#include "host/media/claim/linux/hotplug_monitors.hpp"
#include "host/media/claim/linux/kernel/uevent.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

struct Unref {
    void operator()(udev* context) const { udev_unref(context); }
    void operator()(udev_monitor* monitor) const { udev_monitor_unref(monitor); }
    void operator()(udev_device* device) const { udev_device_unref(device); }
};

std::string text(const char* value) {
    return typeable(value == nullptr ? "" : value);
}

class UdevMonitor final : public HotplugMonitor {
public:
    UdevMonitor(std::unique_ptr<udev, Unref> context, std::unique_ptr<udev_monitor, Unref> monitor)
        : context_(std::move(context)), monitor_(std::move(monitor)) {}

    int descriptor() const override { return udev_monitor_get_fd(monitor_.get()); }

    std::optional<HotplugEvent> next() override {
        const std::unique_ptr<udev_device, Unref> device(udev_monitor_receive_device(monitor_.get()));
        if (!device) return std::nullopt;
        const dev_t number = udev_device_get_devnum(device.get());
        return HotplugEvent{.kind = hotplug_kind_of(text(udev_device_get_action(device.get()))),
                            .node = text(udev_device_get_devnode(device.get())),
                            .number = {major(number), minor(number)},
                            .sysfs_path = text(udev_device_get_syspath(device.get()))};
    }

private:
    std::unique_ptr<udev, Unref> context_;
    std::unique_ptr<udev_monitor, Unref> monitor_;
};

} // namespace

Result<std::unique_ptr<HotplugMonitor>> make_udev_monitor() {
    std::unique_ptr<udev, Unref> context(udev_new());
    std::unique_ptr<udev_monitor, Unref> monitor(context ? udev_monitor_new_from_netlink(context.get(), "udev")
                                                         : nullptr);
    if (!monitor || udev_monitor_filter_add_match_subsystem_devtype(monitor.get(), "block", "disk") < 0 ||
        udev_monitor_enable_receiving(monitor.get()) < 0)
        return fail(Errc::io_failed, "udev's events cannot be received");
    return std::make_unique<UdevMonitor>(std::move(context), std::move(monitor));
}

} // namespace mediarig::media
