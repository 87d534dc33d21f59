// SPDX-License-Identifier: GPL-3.0-or-later
#include <libudev.h>

#include <algorithm>

#include "host/media/linux/kernel/block_directory.hpp"
#include "host/media/linux/kernel/sysfs.hpp"
#include "host/media/text.hpp"

namespace mediarig::media {
namespace {

template <class T, T* (*Unref)(T*)>
struct Unreference {
    void operator()(T* object) const { Unref(object); }
};
using Context = std::unique_ptr<udev, Unreference<udev, &udev_unref>>;
using Enumeration = std::unique_ptr<udev_enumerate, Unreference<udev_enumerate, &udev_enumerate_unref>>;
using Device = std::unique_ptr<udev_device, Unreference<udev_device, &udev_device_unref>>;

class UdevDirectory final : public BlockDirectory {
public:
    Result<std::vector<BlockEntry>> entries() override {
        // A context of its own for each listing: libudev keeps nothing that would be worth sharing.
        const Context context(udev_new());
        const Enumeration all(context ? udev_enumerate_new(context.get()) : nullptr);
        if (!all || udev_enumerate_add_match_subsystem(all.get(), "block") < 0 ||
            udev_enumerate_scan_devices(all.get()) < 0)
            return fail(Errc::io_failed, "libudev cannot list the block devices: is /sys mounted?");

        std::vector<BlockEntry> found;
        for (auto* item = udev_enumerate_get_list_entry(all.get()); item != nullptr;
             item = udev_list_entry_get_next(item)) {
            const Device device(udev_device_new_from_syspath(context.get(), udev_list_entry_get_name(item)));
            // Unplugged between the listing and now.
            if (!device) continue;
            found.push_back(entry_of(*device));
        }
        std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
        return found;
    }

private:
    static BlockEntry entry_of(udev_device& device) {
        const std::string path = udev_device_get_syspath(&device);
        // The kernel's name, and not udev's, which turns '!' into '/'.
        BlockEntry entry{.name = base_name(path), .sysfs_path = path, .properties = {}};
        for (auto* item = udev_device_get_properties_list_entry(&device); item != nullptr;
             item = udev_list_entry_get_next(item)) {
            const char* value = udev_list_entry_get_value(item);
            entry.properties[udev_list_entry_get_name(item)] = printable(value == nullptr ? "" : value);
        }
        return entry;
    }
};

} // namespace

std::unique_ptr<BlockDirectory> make_udev_directory() {
    return std::make_unique<UdevDirectory>();
}

} // namespace mediarig::media
