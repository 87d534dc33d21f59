// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/identity/sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>

namespace mediarig::media::detail {
namespace {

std::string protocol_text(const UsbIdentity& usb) {
    const bool both = usb.offers_bot && usb.offers_uas;
    if (usb.driver == "uas") return "UAS: many commands at a time";
    if (usb.driver == "usb-storage")
        return both ? "BOT: one command at a time, though the device offers UAS" : "BOT: one command at a time";
    return usb.driver;
}

std::string lanes_text(const UsbIdentity& usb) {
    if (usb.rx_lanes == 0 && usb.tx_lanes == 0) return {};
    return fmt::format("{} in, {} out", usb.rx_lanes, usb.tx_lanes);
}

std::string version_text(std::uint8_t code) {
    constexpr std::array<const char*, 8> names{"none", "", "SCSI-2", "SPC", "SPC-2", "SPC-3", "SPC-4", "SPC-5"};
    if (code < names.size() && *names.at(code) != '\0') return names.at(code);
    return fmt::format("code {}", code);
}

std::string form_factor_text(std::uint8_t code) {
    constexpr std::array<const char*, 6> names{"", "5.25 in", "3.5 in", "2.5 in", "1.8 in", "below 1.8 in"};
    return code < names.size() ? names.at(code) : fmt::format("code {}", code);
}

void add_limits(Section& section, const ScsiBlockLimits& limits) {
    constexpr const char* page = "VPD B0";
    section.count("max_transfer", limits.max_transfer, page, "blocks");
    section.count("optimal_transfer", limits.optimal_transfer, page, "blocks");
    section.count("optimal_granularity", limits.optimal_granularity, page, "blocks");
    section.count("max_unmap", limits.max_unmap, page, "blocks");
    section.count("max_unmap_descriptors", limits.max_unmap_descriptors, page);
    section.count("unmap_granularity", limits.unmap_granularity, page, "blocks");
    if (limits.unmap_alignment)
        section.text("unmap_alignment", std::to_string(*limits.unmap_alignment), page, "blocks");
    section.count("max_write_same", limits.max_write_same, page, "blocks");
}

void add_provisioning(Section& section, const ScsiProvisioning& provisioning) {
    constexpr const char* page = "VPD B2";
    constexpr std::array<const char*, 3> types{"full, or not reported", "resource", "thin"};
    section.text(
        "provisioning",
        provisioning.type < types.size() ? types.at(provisioning.type) : fmt::format("code {}", provisioning.type),
        page);
    section.flag("unmap", provisioning.unmap, page);
    section.flag("unmap_by_write_same_16", provisioning.write_same, page);
    section.flag("unmap_by_write_same_10", provisioning.write_same_10, page);
    section.flag("zeroes_after_unmap", (provisioning.zeroes_after & 1u) != 0, page);
}

} // namespace

std::vector<IdentityRow> usb_rows(const UsbIdentity& usb) {
    Section section("USB");
    section.text("vendor_id", usb.vendor_id, "idVendor");
    section.text("product_id", usb.product_id, "idProduct");
    section.text("release", usb.release, "bcdDevice");
    section.text("version", usb.version, "bcdUSB");
    section.text("manufacturer", usb.manufacturer, "iManufacturer");
    section.text("product", usb.product, "iProduct");
    section.text("serial", usb.serial, "iSerial");
    if (usb.speed_mbit > 0) section.text("speed", fmt::format("{:.6g}", usb.speed_mbit), "speed", "Mbit/s");
    if (usb.capable_mbit > 0)
        section.text("capable_speed", fmt::format("{:.6g}", usb.capable_mbit), "bos_descriptors", "Mbit/s per lane");
    section.text("lanes", lanes_text(usb), "rx_lanes, tx_lanes");
    section.text("driver", usb.driver, "driver");
    section.text("protocol", protocol_text(usb), "driver, descriptors");
    section.text("device_class", usb.device_class, "bDeviceClass");
    section.text("interface_class", usb.interface_class, "bInterfaceClass");
    if (usb.configuration != 0)
        section.text("configuration", fmt::format("{} of {}", usb.configuration, usb.configurations),
                     "bConfigurationValue");
    section.text("configuration_name", usb.configuration_name, "iConfiguration");
    section.count("max_power", usb.max_power_ma, "bMaxPower", "mA");
    section.text("port_path", usb.port_path, "sysfs path");
    if (usb.bus != 0) section.text("bus_address", fmt::format("{}:{}", usb.bus, usb.address), "busnum, devnum");
    section.text("wiring", usb.wiring, "removable");
    return section.done();
}

std::vector<IdentityRow> scsi_rows(const ScsiIdentity& scsi) {
    Section section("SCSI");
    section.text("vendor", scsi.vendor, "INQUIRY");
    section.text("model", scsi.model, "INQUIRY");
    section.text("revision", scsi.revision, "INQUIRY");
    if (scsi.inquiry) {
        section.text("peripheral_type",
                     scsi.inquiry->peripheral_type == 0 ? "direct access"
                                                        : fmt::format("code {}", scsi.inquiry->peripheral_type),
                     "INQUIRY");
        section.flag("removable", scsi.inquiry->removable, "INQUIRY");
        section.text("version", version_text(scsi.inquiry->version), "INQUIRY");
    }
    std::string pages;
    for (const std::uint32_t code : scsi.pages) pages += fmt::format("{}{:02x}", pages.empty() ? "" : " ", code);
    section.text("pages", pages, "VPD 00");
    section.text("unit_serial", scsi.unit_serial, "VPD 80");
    for (const ScsiDesignator& name : scsi.designators)
        section.text("designator", fmt::format("{} ({}, of the {})", name.value, name.type, name.association),
                     "VPD 83");
    if (scsi.limits) add_limits(section, *scsi.limits);
    if (scsi.characteristics) {
        const std::uint32_t rate = scsi.characteristics->rotation_rate;
        section.text("rotation",
                     rate == 0   ? "not reported"
                     : rate == 1 ? "does not rotate"
                                 : fmt::format("{} per minute", rate),
                     "VPD B1");
        section.text("form_factor", form_factor_text(scsi.characteristics->form_factor), "VPD B1");
    }
    if (scsi.provisioning) add_provisioning(section, *scsi.provisioning);
    return section.done();
}

std::vector<IdentityRow> nvme_rows(const NvmeIdentity& nvme) {
    Section section("NVMe");
    section.text("model", nvme.model, "model");
    section.text("serial", nvme.serial, "serial");
    section.text("firmware", nvme.firmware, "firmware_rev");
    section.text("pcie_link", nvme.pcie_link, "current_link_speed");
    return section.done();
}

std::vector<IdentityRow> queue_rows(const Medium& medium) {
    const QueueLimits& queue = *medium.queue;
    Section section("queue");
    const std::uint32_t logical = medium.logical_sector, physical = medium.physical_sector;
    if (logical != 0 && physical >= logical && std::has_single_bit(physical / logical))
        section.text("physical_exponent", std::to_string(std::bit_width(physical / logical) - 1),
                     "queue/physical_block_size");
    if (logical != 0)
        section.text("lowest_aligned_lba", std::to_string(queue.alignment_offset.count / logical), "alignment_offset");
    section.bytes("minimum_io", queue.minimum_io, "queue/minimum_io_size");
    section.bytes("optimal_io", queue.optimal_io, "queue/optimal_io_size");
    section.bytes("max_transfer", queue.max_transfer, "queue/max_sectors_kb");
    section.text("discard", queue.discard_max == Bytes{} ? "no" : "yes", "queue/discard_max_bytes");
    section.bytes("discard_granularity", queue.discard_granularity, "queue/discard_granularity");
    section.bytes("discard_max", queue.discard_max, "queue/discard_max_bytes");
    section.text("write_cache", queue.write_cache, "queue/write_cache");
    return section.done();
}

std::vector<IdentityRow> smart_rows(const SmartReport& smart) {
    Section section("SMART");
    const char* source = smart.tool.empty() ? "smartctl" : smart.tool.c_str();
    section.text("health", std::string(name_of(smart.state)), source);
    section.text("detail", smart.detail, source);
    section.text("asked_as", smart.device_type, source);
    section.text("model", smart.model, source);
    section.text("serial", smart.serial, source);
    section.text("firmware", smart.firmware, source);
    if (smart.temperature_c) section.text("temperature", fmt::format("{:.6g}", *smart.temperature_c), source, "°C");
    const auto number = [&](const char* name, const std::optional<std::uint64_t>& value, const char* unit) {
        if (value) section.text(name, std::to_string(*value), source, unit);
    };
    number("power_on_time", smart.power_on_hours, "h");
    number("power_cycles", smart.power_cycles, "");
    number("reallocated_sectors", smart.reallocated_sectors, "");
    number("pending_sectors", smart.pending_sectors, "");
    number("media_errors", smart.media_errors, "");
    number("percentage_used", smart.percentage_used, "%");
    number("critical_warning", smart.critical_warning, "bits");
    if (smart.written) section.bytes("written", *smart.written, source);
    section.text("exit_status", fmt::format("{}", fmt::join(smart.exit_meanings, "; ")), source);
    return section.done();
}

std::vector<IdentityRow> health_rows(const CardHealth& health) {
    Section section("health");
    const char* source = health.command.empty() ? "CMD56" : health.command.c_str();
    section.text("state", std::string(name_of(health.state)), source);
    section.text("detail", health.detail, source);
    section.text("layout", health.layout, source);
    const auto real = [&](const char* name, const std::optional<double>& value, const char* unit) {
        if (value) section.text(name, fmt::format("{:.6g}", *value), source, unit);
    };
    const auto number = [&](const char* name, const std::optional<std::uint64_t>& value, const char* unit) {
        if (value) section.text(name, std::to_string(*value), source, unit);
    };
    real("life_used", health.life_used, "%");
    number("life_code_a", health.life_code_a, "");
    number("life_code_b", health.life_code_b, "");
    number("pre_eol", health.pre_eol, "");
    number("spare_blocks", health.spare_blocks, "blocks");
    number("factory_bad_blocks", health.factory_bad_blocks, "blocks");
    number("later_bad_blocks", health.later_bad_blocks, "blocks");
    number("erase_least", health.erase_least, "erases");
    real("erase_mean", health.erase_mean, "erases");
    number("erase_most", health.erase_most, "erases");
    number("erase_total", health.erase_total, "erases");
    number("rated_erases", health.rated_erases, "erases");
    number("power_ups", health.power_ups, "");
    number("power_losses", health.power_losses, "");
    if (health.written) section.text("written", std::to_string(health.written->count), source, "B");
    section.text("flash_id", health.flash_id, source);
    section.text("controller", health.controller, source);
    section.text("firmware", health.firmware, source);
    section.text("product", health.product, source);
    section.text("made", health.made, source);
    section.text("features", health.features, source);
    return section.done();
}

} // namespace mediarig::media::detail
