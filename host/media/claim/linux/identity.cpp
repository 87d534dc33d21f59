// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/claim/linux/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/media/claim/image/image_file.hpp"
#include "host/media/claim/linux/kernel/attachment.hpp"
#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/claim/linux/kernel/usb_descriptors.hpp"
#include "host/media/claim/linux/kernel/vpd_pages.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/identity/sd_registers.hpp"

namespace mediarig::media {
namespace {

std::uint64_t decimal_or_zero(const std::string& text) {
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Numbers that affect safety decisions. An unreadable number is a doubt; a missing number keeps its default, or is a
/// doubt if every kernel provides it.
class Numbers {
public:
    explicit Numbers(Medium& medium) : medium_(medium) {}
    std::uint64_t required(const std::string& path) {
        const auto number = number_attribute(path);
        if (number && *number) return **number;
        doubt(number ? path + " is missing" : number.error().detail);
        return 0;
    }
    std::uint64_t optional(const std::string& path, std::uint64_t fallback) {
        const auto number = number_attribute(path);
        if (!number) doubt(number.error().detail);
        return number && *number ? **number : fallback;
    }

private:
    void doubt(std::string detail) { medium_.refusals.push_back({RefusalKind::unknown_state, std::move(detail)}); }
    Medium& medium_;
};

std::string raw_page(const std::string& path) {
    const auto page = read_file_if_there(path);
    return page && *page ? **page : std::string();
}

/// "1.00" from the kernel's four BCD digits "0100".
std::string release_from_bcd(const std::string& bcd) {
    if (bcd.size() != 4) return bcd;
    const std::string major = bcd[0] == '0' ? bcd.substr(1, 1) : bcd.substr(0, 2);
    return major + "." + bcd.substr(2);
}

std::uint32_t count_attribute(const std::string& path) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(decimal_or_zero(text_attribute(path)), 0xFFFFFFFF));
}

/// "08/06/50" from three attributes with a common prefix; empty if they are missing.
std::string class_triple(const std::string& at, const std::string& prefix) {
    const std::string own = text_attribute(at + "/" + prefix + "Class");
    if (own.empty()) return {};
    return own + "/" + text_attribute(at + "/" + prefix + "SubClass") + "/" +
           text_attribute(at + "/" + prefix + "Protocol");
}

UsbIdentity read_usb(const std::string& device, const std::string& interface) {
    const auto text = [&](const char* name) { return text_attribute(device + "/" + name); };
    const auto count = [&](const char* name) { return count_attribute(device + "/" + name); };
    UsbIdentity usb;
    usb.vendor_id = text("idVendor");
    usb.product_id = text("idProduct");
    usb.release = release_from_bcd(text("bcdDevice"));
    usb.manufacturer = text("manufacturer");
    usb.product = text("product");
    usb.serial = text("serial");
    // "1.5" is the only speed with a fraction.
    const std::string speed = text("speed");
    usb.speed_mbit = speed == "1.5" ? 1.5 : static_cast<double>(decimal_or_zero(speed));
    usb.driver = link_name(interface + "/driver");
    usb.port_path = base_name(device);
    usb.max_power_ma = count("bMaxPower");
    usb.version = text("version");
    usb.device_class = class_triple(device, "bDevice");
    usb.interface_class = class_triple(interface, "bInterface");
    usb.configuration_name = text("configuration");
    usb.configuration = count("bConfigurationValue");
    usb.configurations = count("bNumConfigurations");
    usb.rx_lanes = count("rx_lanes");
    usb.tx_lanes = count("tx_lanes");
    usb.bus = count("busnum");
    usb.address = count("devnum");
    usb.wiring = text("removable");
    const UsbStorageOffers offers = storage_offers_in(raw_page(device + "/descriptors"));
    usb.offers_bot = offers.bot;
    usb.offers_uas = offers.uas;
    usb.capable_mbit = capable_speed_in(raw_page(device + "/bos_descriptors"));
    return usb;
}

ScsiIdentity read_scsi(const std::string& device) {
    const auto page = [&](const char* name) { return raw_page(device + "/" + name); };
    const std::string names = page("vpd_pg83");
    return {.vendor = text_attribute(device + "/vendor"),
            .model = text_attribute(device + "/model"),
            .revision = text_attribute(device + "/rev"),
            .unit_serial = unit_serial_from_vpd(page("vpd_pg80")),
            .designator = designator_from_vpd(names),
            .inquiry = inquiry_from(page("inquiry")),
            .pages = pages_from_vpd(page("vpd_pg0")),
            .designators = designators_from_vpd(names),
            .limits = block_limits_from_vpd(page("vpd_pgb0")),
            .characteristics = characteristics_from_vpd(page("vpd_pgb1")),
            .provisioning = provisioning_from_vpd(page("vpd_pgb2"))};
}

/// Old kernels lack some of these attributes. A missing attribute is not reported and is never a doubt.
QueueLimits read_queue(const std::string& disk) {
    const auto bytes = [&](const char* name) { return Bytes{decimal_or_zero(text_attribute(disk + "/" + name))}; };
    return {.minimum_io = bytes("queue/minimum_io_size"),
            .optimal_io = bytes("queue/optimal_io_size"),
            .discard_granularity = bytes("queue/discard_granularity"),
            .discard_max = bytes("queue/discard_max_bytes"),
            .max_transfer = bytes("queue/max_sectors_kb") * 1024,
            .alignment_offset = bytes("alignment_offset"),
            .write_cache = text_attribute(disk + "/queue/write_cache")};
}

NvmeIdentity read_nvme(const std::string& controller, const std::string& pci) {
    NvmeIdentity nvme{.model = text_attribute(controller + "/model"),
                      .serial = text_attribute(controller + "/serial"),
                      .firmware = text_attribute(controller + "/firmware_rev"),
                      .pcie_link = {}};
    const std::string speed = text_attribute(pci + "/current_link_speed");
    const std::string width = text_attribute(pci + "/current_link_width");
    if (!pci.empty() && !speed.empty() && !width.empty()) {
        // Older kernels print "8.0 GT/s", newer kernels "8.0 GT/s PCIe".
        const bool complete = speed.ends_with("PCIe");
        nvme.pcie_link = fmt::format("{}{} x{}", speed, complete ? "" : " PCIe", width);
    }
    return nvme;
}

/// Value after a name in the kernel's description of a bus: "clock:\t\t50000000 Hz", "bus width:\t2 (4 bits)".
std::string setting_in(std::string_view ios, std::string_view name) {
    for (std::size_t at = 0; at < ios.size();) {
        const std::string_view line = ios.substr(at, ios.find('\n', at) - at);
        at += line.size() + 1;
        if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
        const std::size_t from = line.find_first_not_of(" \t", name.size() + 1);
        return from == std::string_view::npos ? std::string() : std::string(line.substr(from));
    }
    return {};
}

std::string in_brackets(const std::string& setting) {
    const std::size_t from = setting.find('('), to = setting.rfind(')');
    return from == std::string::npos || to == std::string::npos || to < from ? std::string()
                                                                             : setting.substr(from + 1, to - from - 1);
}

/// Only debugfs has the bus settings, and reading debugfs needs root. If they cannot be read, they stay unknown.
void adopt_bus(SdIdentity& sd, const std::string& card) {
    const std::string ios = raw_page("/sys/kernel/debug/" + base_name(parent_path(card)) + "/ios");
    sd.bus_timing = typeable(in_brackets(setting_in(ios, "timing spec")));
    sd.bus_clock_hz = decimal_or_zero(setting_in(ios, "clock"));
    sd.bus_width = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(decimal_or_zero(in_brackets(setting_in(ios, "bus width"))), 8));
}

void adopt_sd(Medium& medium, const std::string& card) {
    const auto text = [&](const char* name) { return text_attribute(card + "/" + name); };
    medium.sd = decode_sd_registers(text("cid"), text("csd"), text("scr"), text("ssr"));
    medium.sd->host_ocr = text("ocr");
    medium.sd->dsr = text("dsr");
    medium.sd->rca = text("rca");
    medium.sd->fwrev = text("fwrev");
    medium.sd->hwrev = text("hwrev");
    const auto bytes = [&](const char* name) -> std::optional<Bytes> {
        const std::string number = text(name);
        return number.empty() ? std::nullopt : std::optional(Bytes{decimal_or_zero(number)});
    };
    medium.sd->erase_size = bytes("erase_size");
    medium.sd->preferred_erase_size = bytes("preferred_erase_size");
    adopt_bus(*medium.sd, card);
    adopt_registers(medium);
}

void adopt_usb(Medium& medium, const std::vector<Ancestor>& ancestors, const std::string& device) {
    medium.usb = read_usb(usb_device_of(ancestors), usb_interface_of(ancestors));
    medium.scsi = read_scsi(device);
    medium.vendor = medium.scsi->vendor.empty() ? medium.usb->manufacturer : medium.scsi->vendor;
    medium.model = medium.scsi->model.empty() ? medium.usb->product : medium.scsi->model;
    medium.revision = medium.scsi->revision.empty() ? medium.usb->release : medium.scsi->revision;
    medium.serial = medium.usb->serial.empty() ? medium.scsi->unit_serial : medium.usb->serial;
}

void adopt_scsi(Medium& medium, const std::string& device) {
    medium.scsi = read_scsi(device);
    medium.vendor = medium.scsi->vendor;
    medium.model = medium.scsi->model;
    medium.revision = medium.scsi->revision;
    medium.serial = medium.scsi->unit_serial;
}

void adopt_nvme(Medium& medium, const std::string& controller, const std::string& pci) {
    medium.nvme = read_nvme(controller, pci);
    medium.model = medium.nvme->model;
    medium.revision = medium.nvme->firmware;
    medium.serial = medium.nvme->serial;
}

} // namespace

Medium identity_of(const BlockNode& disk, const std::vector<Ancestor>& ancestors) {
    const std::string& at = disk.sysfs_path;
    Medium medium;
    medium.node = node_path(disk.name);
    medium.number = disk.number;
    medium.sysfs_path = at;
    medium.uplinks = uplinks_of(at);
    medium.lun = lun_of(at);
    medium.transport = transport_of(disk, ancestors);
    if (disk.loop) {
        // Keep the exact path if it can be typed: a path may end in a space, and the trimmed path names another file.
        const std::string& path = disk.loop->backing_file;
        medium.backing_file = is_plain_text(path) ? path : typeable(path);
        medium.file = disk.loop->file;
    }

    Numbers numbers(medium);
    // The kernel uses 512-byte units here, whatever the sector size (block/genhd.c).
    constexpr std::uint64_t unit = 512;
    medium.size = {numbers.required(at + "/size") * unit};
    medium.read_only = numbers.required(at + "/ro") != 0;
    medium.removable = numbers.required(at + "/removable") != 0;
    medium.disk_sequence = numbers.optional(at + "/diskseq", 0);
    medium.logical_sector = static_cast<std::uint32_t>(numbers.optional(at + "/queue/logical_block_size", unit));
    medium.physical_sector =
        static_cast<std::uint32_t>(numbers.optional(at + "/queue/physical_block_size", medium.logical_sector));
    medium.rotational = text_attribute(at + "/queue/rotational") == "1";
    medium.queue = read_queue(at);

    const std::string device = real_path(at + "/device");
    if (medium.transport == Transport::mmc && text_attribute(device + "/type") == "SD") {
        adopt_sd(medium, device);
        // The device is a reader that presents the bare card to the kernel (mmc) and is itself a USB device.
        if (const std::string usb = usb_device_of(ancestors); !usb.empty())
            medium.usb = read_usb(usb, usb_interface_of(ancestors));
    } else if (medium.transport == Transport::mmc) {
        medium.model = text_attribute(device + "/name");
        medium.serial = text_attribute(device + "/serial");
    } else if (medium.transport == Transport::usb) {
        adopt_usb(medium, ancestors, device);
    } else if (medium.transport == Transport::sata || medium.transport == Transport::scsi) {
        adopt_scsi(medium, device);
    } else if (medium.transport == Transport::nvme) {
        adopt_nvme(medium, device, pci_function_of(ancestors));
    } else if (medium.transport == Transport::virtio) {
        medium.serial = text_attribute(at + "/serial");
    }
    return medium;
}

} // namespace mediarig::media
