// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/ancestry.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>

#include "host/media/claim/linux/kernel/bounded_calls.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/identity/medium.hpp"

namespace mediarig::media {
namespace {

/// Refuses a loop device unless its backing file is visible under the path by which it was attached.
std::optional<Refusal> loop_on_something_else(const BlockNode& disk) {
    if (!disk.loop) return std::nullopt;
    const LoopEntry& loop = *disk.loop;
    const std::string path = typeable(loop.backing_file);
    // Decide by the device number: the backing node may have been removed or may name another device now.
    if (loop.device)
        return Refusal{
            RefusalKind::not_removable,
            fmt::format("{} is backed by {}, which is not a file: name that device instead", loop.name, path)};
    struct stat status {};
    // A file system without a device may have a server that does not respond.
    const bool local = loop.file && major(loop.file->device) != 0;
    BoundedCalls calls;
    if (local ? ::stat(loop.backing_file.c_str(), &status) != 0 : calls.stat(loop.backing_file, status) != 0)
        return Refusal{RefusalKind::unknown_state, fmt::format("the backing file {} cannot be seen from here", path)};
    if (loop.file == FileIdentity{status.st_dev, status.st_ino}) return std::nullopt;
    return Refusal{
        RefusalKind::unknown_state,
        fmt::format(
            "{} is not the backing file of {}: that file was renamed, replaced, or is in another mount namespace", path,
            loop.name)};
}

bool behind_external_port(const std::vector<Ancestor>& ancestors) {
    return std::any_of(ancestors.begin(), ancestors.end(), [](const Ancestor& ancestor) {
        return ancestor.subsystem == "pci" && text_attribute(ancestor.path + "/removable") == "removable";
    });
}

Refusal internal(const std::string& detail) {
    return {RefusalKind::not_removable, detail};
}

std::optional<Refusal> soldered_card(const BlockNode& disk, const std::vector<Ancestor>& ancestors) {
    const auto card =
        std::find_if(ancestors.begin(), ancestors.end(), [](const auto& a) { return a.subsystem == "mmc"; });
    const std::string type = card == ancestors.end() ? "" : text_attribute(card->path + "/type");
    if (type == "SD") return std::nullopt;
    if (type == "MMC") return internal(disk.name + " is eMMC, soldered to the board");
    return internal(fmt::format("{} is of the card type '{}', not an SD memory card", disk.name, type));
}

std::optional<Refusal> fixed_usb_disk(const BlockNode& disk, const std::vector<Ancestor>& ancestors,
                                      bool removable_media) {
    const std::string wiring = text_attribute(usb_device_of(ancestors) + "/removable");
    // A card reader built into the case is "fixed" too, but its cards are removable.
    if (wiring != "fixed" || removable_media) return std::nullopt;
    return internal(disk.name + " is a USB disk wired inside this machine");
}

} // namespace

std::vector<Ancestor> ancestors_of(const std::string& sysfs_path) {
    constexpr std::string_view root = "/sys/devices";
    std::vector<Ancestor> ancestors;
    for (std::string path = parent_path(sysfs_path); path.size() > root.size() && path.starts_with(root);
         path = parent_path(path))
        ancestors.push_back({path, link_name(path + "/subsystem")});
    return ancestors;
}

Transport transport_of(const BlockNode& disk, const std::vector<Ancestor>& ancestors) {
    if (is_numbered(disk.name, "loop")) return Transport::loop;
    if (is_numbered(disk.name, "zram")) return Transport::zram;
    bool scsi = false;
    for (const Ancestor& ancestor : ancestors) {
        if (ancestor.subsystem == "mmc") return Transport::mmc;
        if (ancestor.subsystem == "nvme" || ancestor.subsystem == "nvme-subsystem") return Transport::nvme;
        if (ancestor.subsystem == "usb") return Transport::usb;
        if (ancestor.subsystem == "virtio") return Transport::virtio;
        if (is_numbered(base_name(ancestor.path), "ata")) return Transport::sata;
        scsi = scsi || ancestor.subsystem == "scsi";
    }
    return scsi ? Transport::scsi : Transport::other;
}

std::string usb_device_of(const std::vector<Ancestor>& ancestors) {
    for (const Ancestor& ancestor : ancestors) {
        if (ancestor.subsystem == "usb" && exists(ancestor.path + "/idVendor")) return ancestor.path;
    }
    return {};
}

std::string usb_interface_of(const std::vector<Ancestor>& ancestors) {
    for (const Ancestor& ancestor : ancestors) {
        if (ancestor.subsystem == "usb" && !exists(ancestor.path + "/idVendor")) return ancestor.path;
    }
    return {};
}

std::string pci_function_of(const std::vector<Ancestor>& ancestors) {
    for (const Ancestor& ancestor : ancestors) {
        if (ancestor.subsystem == "pci") return ancestor.path;
    }
    return {};
}

std::optional<Refusal> built_in(const BlockNode& disk, Transport transport, const std::vector<Ancestor>& ancestors,
                                bool removable_media) {
    switch (transport) {
        case Transport::loop:
            return loop_on_something_else(disk);
        case Transport::image:
        case Transport::zram:
            return std::nullopt;
        case Transport::usb:
            return fixed_usb_disk(disk, ancestors, removable_media);
        case Transport::mmc:
            return soldered_card(disk, ancestors);
        case Transport::nvme:
        case Transport::sata:
        case Transport::scsi:
            if (behind_external_port(ancestors)) return std::nullopt;
            return internal(
                fmt::format("{} is an internal {} disk according to the kernel", disk.name, name_of(transport)));
        case Transport::virtio:
        case Transport::other:
        case Transport::directory:
        case Transport::unknown:
            break;
    }
    return internal(fmt::format("{} is neither on USB, nor an SD card, nor at a Thunderbolt port", disk.name));
}

} // namespace mediarig::media
