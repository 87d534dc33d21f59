// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/kernel/udev_properties.hpp"

#include <libudev.h>

#include <memory>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

template <class T, T* (*Unref)(T*)>
struct Unreference {
    void operator()(T* object) const { Unref(object); }
};
using Context = std::unique_ptr<udev, Unreference<udev, &udev_unref>>;
using Device = std::unique_ptr<udev_device, Unreference<udev_device, &udev_device_unref>>;

std::map<std::string, std::string> properties_of(const std::string& sysfs_path) {
    std::map<std::string, std::string> properties;
    // Use one context for each device: libudev caches nothing that is worth sharing.
    const Context context(udev_new());
    const Device device(context ? udev_device_new_from_syspath(context.get(), sysfs_path.c_str()) : nullptr);
    // The device was unplugged since the listing.
    if (!device) return properties;
    for (auto* item = udev_device_get_properties_list_entry(device.get()); item != nullptr;
         item = udev_list_entry_get_next(item)) {
        const char* value = udev_list_entry_get_value(item);
        properties[udev_list_entry_get_name(item)] = typeable(value == nullptr ? "" : value);
    }
    return properties;
}

} // namespace

UdevQuery with_udev() {
    return properties_of;
}

} // namespace mediarig::media
