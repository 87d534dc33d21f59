// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/plug_script.hpp"

#include <fmt/format.h>

#include <bit>

namespace mediarig::lab {
namespace {

using nlohmann::json;

/// The longest serial that QEMU's USB string and SCSI page both return completely.
constexpr std::size_t longest_serial = 36;
/// NVM Express Base Specification, Identify Controller, "Serial Number".
constexpr std::size_t longest_nvme_serial = 20;
constexpr unsigned last_critical_warning = 0x1F;

json throttle_node(const PlacedSlot& slot, const std::string& below, bool read_only) {
    return {{"driver", "throttle"},
            {"node-name", slot.throttle_node()},
            {"throttle-group", slot.throttle_group()},
            {"file", below},
            {"read-only", read_only}};
}

json card_node(const PlacedSlot& slot, const LabMedium& medium) {
    json node{{"node-name", slot.card_node()}, {"read-only", medium.read_only}};
    if (medium.source.kind == MediumSource::Kind::nbd_socket) {
        node["driver"] = "nbd";
        node["server"] = {{"type", "unix"}, {"path", medium.source.path}};
        node["export"] = "";
    } else {
        node["driver"] = "raw";
        node["file"] = {{"driver", "file"}, {"filename", medium.source.path}, {"aio", "threads"}};
    }
    return node;
}

QmpCommand device_add(json arguments) {
    return {"device_add", std::move(arguments)};
}
QmpCommand tray(const char* command, const PlacedSlot& slot) {
    QmpCommand told{command, {{"id", slot.device()}}};
    if (told.execute == "blockdev-open-tray") told.arguments["force"] = true;
    return told;
}
QmpCommand attach(std::string_view device) {
    return {"qom-set",
            {{"path", fmt::format("/machine/peripheral/{}", device)}, {"property", "attached"}, {"value", true}}};
}

json usb_drive(const PlacedSlot& slot, const LabMedium& medium) {
    // QEMU's default stops the machine when the file system of an image is full.
    json device{{"driver", "usb-storage"},       {"id", slot.device()}, {"bus", "xhci.0"},
                {"port", slot.usb_port},         {"removable", true},   {"rerror", "report"},
                {"drive", slot.throttle_node()}, {"werror", "report"}};
    if (!medium.serial.empty()) device["serial"] = medium.serial;
    return device;
}

json uas_disk(const PlacedSlot& slot, const LabMedium& medium) {
    json disk{{"driver", "scsi-hd"},
              {"id", slot.disk()},
              {"bus", slot.device() + ".0"},
              {"lun", 0},
              {"drive", slot.throttle_node()},
              {"vendor", "LAB"},
              {"product", "ENCLOSURE"},
              {"rerror", "report"},
              {"werror", "report"}};
    if (!medium.serial.empty()) disk["serial"] = medium.serial;
    return disk;
}

std::vector<QmpCommand> nvme_disk(const PlacedSlot& slot, const LabMedium& medium) {
    // QEMU's model requires a serial.
    const std::string serial = medium.serial.empty() ? fmt::format("SLOT{}", slot.slot.id.number) : medium.serial;
    std::vector<QmpCommand> commands{device_add({{"driver", "nvme"},
                                                 {"id", slot.device()},
                                                 {"bus", slot.root_port()},
                                                 {"drive", slot.throttle_node()},
                                                 {"serial", serial}})};
    if (medium.smart_critical_warning != 0)
        commands.push_back({"qom-set",
                            {{"path", "/machine/peripheral/" + slot.device()},
                             {"property", "smart_critical_warning"},
                             {"value", medium.smart_critical_warning}}});
    return commands;
}

} // namespace

std::vector<QmpCommand> add_nodes(const PlacedSlot& slot, const LabMedium& medium) {
    return {{"blockdev-add", card_node(slot, medium)},
            {"blockdev-add", throttle_node(slot, slot.card_node(), medium.read_only)}};
}

std::vector<QmpCommand> show(const PlacedSlot& slot, const LabMedium& medium) {
    const QmpCommand insert{"blockdev-insert-medium", {{"id", slot.device()}, {"node-name", slot.throttle_node()}}};
    switch (slot.slot.kind) {
        case SlotKind::usb:
        case SlotKind::hub:
            return {device_add(usb_drive(slot, medium))};
        case SlotKind::uas:
            // The enclosure becomes visible once its disk is attached.
            return {
                device_add({{"driver", "usb-uas"}, {"id", slot.device()}, {"bus", "xhci.0"}, {"port", slot.usb_port}}),
                device_add(uas_disk(slot, medium)), attach(slot.device())};
        case SlotKind::reader:
            return {tray("blockdev-open-tray", slot), insert, tray("blockdev-close-tray", slot)};
        case SlotKind::nvme:
            return nvme_disk(slot, medium);
        case SlotKind::sd:
            break;
    }
    return {insert};
}

std::vector<QmpCommand> surprise_removal(const PlacedSlot& slot) {
    const QmpCommand remove{"blockdev-remove-medium", {{"id", slot.device()}}};
    switch (slot.slot.kind) {
        case SlotKind::usb:
        case SlotKind::hub:
        case SlotKind::uas:
        case SlotKind::nvme:
            return {{"device_del", {{"id", slot.device()}}}};
        case SlotKind::reader:
            return {tray("blockdev-open-tray", slot), remove, tray("blockdev-close-tray", slot)};
        case SlotKind::sd:
            break;
    }
    return {remove};
}

std::string deleted_device(const PlacedSlot& slot) {
    const bool whole_device = slot.slot.kind != SlotKind::reader && slot.slot.kind != SlotKind::sd;
    return whole_device ? slot.device() : std::string();
}

QmpCommand add_errors(const PlacedSlot& slot, const std::vector<InjectedError>& errors, std::uint64_t generation) {
    constexpr int eio = 5;
    json rules = json::array();
    for (const InjectedError& error : errors) {
        const char* operation = error.operation == InjectedError::Operation::read    ? "read"
                                : error.operation == InjectedError::Operation::write ? "write"
                                                                                     : "flush";
        json rule{{"event", "none"}, {"iotype", operation}, {"errno", eio}};
        if (error.sector) rule["sector"] = error.sector->index;
        rules.push_back(std::move(rule));
    }
    return {"blockdev-add",
            {{"driver", "blkdebug"},
             {"node-name", slot.error_node(generation)},
             {"image", slot.card_node()},
             {"inject-error", std::move(rules)}}};
}

QmpCommand put_throttle_above(const PlacedSlot& slot, const std::string& below, bool read_only) {
    return {"blockdev-reopen", {{"options", json::array({throttle_node(slot, below, read_only)})}}};
}

QmpCommand delete_node(const std::string& node) {
    return {"blockdev-del", {{"node-name", node}}};
}

QmpCommand set_limits(const PlacedSlot& slot, const Limits& limits) {
    // Set all four: an omitted limit keeps its value.
    return {"qom-set",
            {{"path", "/objects/" + slot.throttle_group()},
             {"property", "limits"},
             {"value",
              {{"bps-read", limits.read_bytes_per_second},
               {"bps-write", limits.write_bytes_per_second},
               {"iops-read", limits.reads_per_second},
               {"iops-write", limits.writes_per_second}}}}};
}

QmpCommand sever(const PlacedSlot& slot) {
    return {"yank", {{"instances", json::array({{{"type", "block-node"}, {"node-name", slot.card_node()}}})}}};
}

bool leaves_with_consent(const PlacedSlot& slot) {
    return slot.slot.kind == SlotKind::nvme;
}

QmpCommand attach_reader() {
    return attach(reader_id);
}

Result<void> check_fits(const PlacedSlot& slot, const LabMedium& medium, Bytes size) {
    const auto refused = [&](std::string why) {
        return fail(Errc::bad_request,
                    fmt::format("slot {} ({}): {}", slot.slot.id.number, name_of(slot.slot.kind), why));
    };
    const bool only_changes_media = slot.slot.kind == SlotKind::reader || slot.slot.kind == SlotKind::sd;
    if (slot.slot.kind == SlotKind::sd && !std::has_single_bit(size.count))
        return refused(fmt::format("{} has {} bytes, and the virtual SD card takes only powers of two",
                                   medium.source.path, size.count));
    if (only_changes_media && medium.read_only)
        return refused("its card has no write-protect switch; use a usb slot for a read-only medium");
    if (only_changes_media && !medium.serial.empty())
        return refused(
            "a card in this slot cannot report its own serial; leave the serial out, or use a usb or uas slot");
    const bool nvme = slot.slot.kind == SlotKind::nvme;
    if (nvme && medium.read_only)
        return refused("QEMU's NVMe disk does not report write protection; use a usb slot for a read-only medium");
    if (const std::size_t longest = nvme ? longest_nvme_serial : longest_serial; medium.serial.size() > longest)
        return refused(fmt::format("the serial '{}' is longer than {} characters", medium.serial, longest));
    if (!nvme && medium.smart_critical_warning != 0)
        return refused("its medium has no SMART warnings; use an nvme slot");
    if (medium.smart_critical_warning > last_critical_warning)
        return refused(
            fmt::format("{} is not a critical warning of SMART, which has 5 bits", medium.smart_critical_warning));
    return {};
}

} // namespace mediarig::lab
