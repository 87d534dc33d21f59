// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/media/claim/device_trees/machine.hpp"

#include <fmt/format.h>
#include <sys/mount.h>
#include <umockdev.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "host/base/process/mount_namespace.hpp"

namespace mediarig::media::scenarios {
namespace {

namespace fs = std::filesystem;

std::string owned(gchar* text) {
    std::string copy(text);
    g_free(text);
    return copy;
}

/// 8:16 for sdb, 8:17 for sdb1, as the kernel counts.
std::string scsi_number(const std::string& name) {
    return fmt::format("8:{}", 16 * (name[2] - 'a'));
}

std::string digits_at_end(const std::string& name) {
    return name.substr(name.find_last_not_of("0123456789") + 1);
}

/// Trees have some ten thousand small files: in memory they take seconds to create, on a busy disk minutes. They are in
/// a private mount namespace, so that no file remains. Without the privilege for that, the disk is used. (Do not use a
/// path below /dev: umockdev interprets every such path as a device and leaks a socket for each open.)
bool work_in_memory() {
    return process::enter_private_mount_namespace() && ::mount("scenarios", "/mnt", "tmpfs", 0, nullptr) == 0 &&
           ::setenv("TMPDIR", "/mnt", 1) == 0;
}

UMockdevTestbed* new_test_bed() {
    static const bool in_memory = work_in_memory();
    (void)in_memory;
    return umockdev_testbed_new();
}

} // namespace

TestBed::TestBed() : bed_(new_test_bed()) {
    if (!umockdev_in_mock_environment())
        throw std::runtime_error("the scenarios need umockdev's preload library: run them through ctest");
}

TestBed::~TestBed() {
    g_object_unref(bed_);
}

Machine::Machine(TestBed& bed) : bed_(bed.get()), root_(owned(umockdev_testbed_get_root_dir(bed_))) {
    fs::create_directories(root_ + "/sys/class/block");
    fs::create_directories(root_ + "/sys/fs/btrfs/features");
    write_tables();
}

Machine::~Machine() {
    umockdev_testbed_clear(bed_);
}

void Machine::write_file(const std::string& path, const std::string& content) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << content;
}

void Machine::feed(const std::string& description) {
    GError* error = nullptr;
    if (umockdev_testbed_add_from_string(bed_, description.c_str(), &error)) return;
    const std::string what = error->message;
    g_error_free(error);
    throw std::runtime_error(what + " in:\n" + description);
}

void Machine::ancestor(const std::string& path, const std::string& subsystem,
                       const std::map<std::string, std::string>& attributes) {
    if (fs::exists(root_ + path + "/uevent")) {
        // Another device at the same port: only its own attributes change.
        for (const auto& [name, value] : attributes) write_file(root_ + path + "/" + name, value + "\n");
        return;
    }
    std::string text = "P: " + path.substr(4) + "\nE: SUBSYSTEM=" + subsystem + "\n";
    for (const auto& [name, value] : attributes) text += "A: " + name + "=" + value + "\\n\n";
    feed(text + "\n");
}

std::string Machine::pci(const std::string& function, const std::string& removable) {
    const std::string path = "/sys/devices/pci0000:00/" + function;
    ancestor(path, "pci",
             {{"removable", removable}, {"current_link_speed", "8.0 GT/s PCIe"}, {"current_link_width", "4"}});
    return path;
}

void Machine::add(const Shape& shape) {
    const std::uint64_t sequence = next_sequence_++;
    std::string text = "P: " + shape.path.substr(4) + "\nN: " + shape.name + "\nE: SUBSYSTEM=block\n";
    text += "E: DEVNAME=/dev/" + shape.name + "\n";
    const auto colon = shape.number.find(':');
    text += "E: MAJOR=" + shape.number.substr(0, colon) + "\nE: MINOR=" + shape.number.substr(colon + 1) + "\n";
    std::map<std::string, std::string> attributes{{"dev", shape.number},
                                                  {"size", shape.size_sectors},
                                                  {"ro", "0"},
                                                  {"removable", shape.removable ? "1" : "0"},
                                                  {"diskseq", std::to_string(sequence)},
                                                  {"queue/logical_block_size", "512"},
                                                  {"queue/physical_block_size", "512"},
                                                  {"queue/rotational", "0"}};
    std::map<std::string, std::string> properties{{"DEVTYPE", "disk"}};
    for (const auto& [name, value] : shape.attributes) attributes[name] = value;
    for (const auto& [name, value] : shape.properties) properties[name] = value;
    for (const auto& [name, value] : properties) text += "E: " + name + "=" + value + "\n";
    for (const auto& [name, value] : attributes) text += "A: " + name + "=" + value + "\\n\n";
    for (const auto& [name, value] : shape.links) text += "L: " + name + "=" + value + "\n";
    feed(text + "\n");
    fs::create_directories(root_ + shape.path + "/holders");
    fs::create_directories(root_ + shape.path + "/slaves");
    paths_[shape.name] = shape.path;
    numbers_[shape.name] = shape.number;

    auto disk = std::make_shared<PhysicalDisk>(shape.label.empty() ? shape.name : shape.label);
    disk->facts = {.number = {static_cast<std::uint32_t>(std::stoul(shape.number)),
                              static_cast<std::uint32_t>(std::stoul(shape.number.substr(colon + 1)))},
                   .disk_sequence = sequence,
                   .size = {std::stoull(shape.size_sectors) * 512},
                   .read_only = false};
    farm_.plug_in("/dev/" + shape.name, disk);
}

Machine& Machine::usb(const OnUsb& disk) {
    // A port path contains every hub: "1-2.3" is port 3 of the hub on port 2 of bus 1.
    std::string device = pci("0000:00:14.0", "fixed") + "/usb" + disk.port.substr(0, disk.port.find('-'));
    ancestor(device, "usb", {{"idVendor", "1d6b"}, {"removable", "unknown"}});
    for (std::size_t dot = disk.port.find('.'); dot != std::string::npos; dot = disk.port.find('.', dot + 1)) {
        device += "/" + disk.port.substr(0, dot);
        ancestor(device, "usb", {{"idVendor", "2109"}, {"removable", "removable"}});
    }
    device += "/" + disk.port;
    std::map<std::string, std::string> descriptors{
        {"idVendor", "0781"},    {"idProduct", "5581"},  {"bcdDevice", "0100"},        {"manufacturer", "SanDisk"},
        {"product", disk.model}, {"speed", "5000"},      {"bMaxPower", "896mA"},       {"removable", disk.wiring},
        {"version", " 3.20"},    {"bDeviceClass", "00"}, {"bDeviceSubClass", "00"},    {"bDeviceProtocol", "00"},
        {"rx_lanes", "1"},       {"tx_lanes", "1"},      {"bConfigurationValue", "1"}, {"bNumConfigurations", "1"},
        {"busnum", "2"},         {"devnum", "7"}};
    if (!disk.serial.empty()) descriptors["serial"] = disk.serial;
    ancestor(device, "usb", descriptors);
    const std::string interface = device + "/" + disk.port + ":1.0";
    ancestor(interface, "usb",
             {{"bInterfaceClass", "08"},
              {"bInterfaceSubClass", "06"},
              {"bInterfaceProtocol", disk.driver == "uas" ? "62" : "50"}});
    // Adds a device with both protocols, and USB 3 in its Binary Object Store.
    std::ofstream(root_ + device + "/descriptors", std::ios::binary)
        << std::string("\x09\x04\x00\x00\x02\x08\x06\x50\x00\x09\x04\x00\x01\x04\x08\x06\x62\x00", 18);
    std::ofstream(root_ + device + "/bos_descriptors", std::ios::binary)
        << std::string("\x05\x0f\x0f\x00\x01\x0a\x10\x03\x00\x0e\x00\x01\x0a\xff\x07", 15);
    fs::create_directories(root_ + "/sys/bus/usb/drivers/" + disk.driver);
    if (!fs::is_symlink(root_ + interface + "/driver"))
        fs::create_directory_symlink(root_ + "/sys/bus/usb/drivers/" + disk.driver, root_ + interface + "/driver");
    const std::string host = std::to_string(hosts_.try_emplace(disk.port, 10 + hosts_.size()).first->second);
    const std::string scsi = fmt::format("{0}/host{1}/target{1}:0:0/{1}:0:0:{2}", interface, host, disk.lun);
    ancestor(scsi, "scsi", {{"vendor", "SanDisk "}, {"model", disk.model}, {"rev", "1.00"}});
    std::ofstream(root_ + scsi + "/inquiry", std::ios::binary) << std::string("\x00\x80\x06\x02\x1f", 5);
    std::ofstream(root_ + scsi + "/vpd_pgb1", std::ios::binary) << std::string("\x00\xb1\x00\x04\x00\x01\x00\x00", 8);
    add({.name = disk.name,
         .path = scsi + "/block/" + disk.name,
         .number = scsi_number(disk.name),
         .size_sectors = std::to_string(disk.size.count / 512),
         .removable = disk.removable_media,
         .attributes = {},
         .properties = {},
         .links = {{"device", "../../../" + fs::path(scsi).filename().string()}},
         .label = disk.label});
    return *this;
}

Machine& Machine::nvme(const std::string& name, const std::string& serial, const std::string& pci_removable) {
    const std::string number = std::to_string(next_nvme_minor_);
    const std::string function = pci_removable == "removable" ? "0000:05:01.0" : fmt::format("0000:03:0{}.0", number);
    const std::string controller = pci(function, pci_removable) + "/nvme/" + name.substr(0, name.find('n', 1));
    ancestor(controller, "nvme", {{"model", "Samsung SSD 980"}, {"serial", serial}, {"firmware_rev", "3B4QFXO7"}});
    add({.name = name,
         .path = controller + "/" + name,
         .number = fmt::format("259:{}", 16 * next_nvme_minor_++),
         .size_sectors = "1953525168",
         .attributes = {},
         .properties = {},
         .links = {{"device", "../../" + fs::path(controller).filename().string()}},
         .label = {}});
    return *this;
}

Machine& Machine::sata(const std::string& name, const std::string& serial, const std::string& pci_removable) {
    const std::string function = pci_removable == "fixed" ? "0000:00:17.0" : "0000:06:00.0";
    const std::string port = std::to_string(name[2] - 'a' + 1);
    const std::string scsi =
        fmt::format("{0}/ata{1}/host{1}/target{1}:0:0/{1}:0:0:0", pci(function, pci_removable), port);
    ancestor(scsi, "scsi", {{"vendor", "ATA     "}, {"model", "WDC WD40EFRX-68N"}, {"rev", "0A82"}});
    // Page 0x80 as filled by the kernel's translation layer.
    std::ofstream(root_ + scsi + "/vpd_pg80", std::ios::binary)
        << std::string("\x00\x80\x00", 3) << static_cast<char>(serial.size()) << serial;
    add({.name = name,
         .path = scsi + "/block/" + name,
         .number = scsi_number(name),
         .size_sectors = "7814037168",
         .attributes = {{"queue/rotational", "1"}},
         .properties = {},
         .links = {{"device", "../../../" + fs::path(scsi).filename().string()}},
         .label = {}});
    return *this;
}

Machine& Machine::sd_card(const std::string& name, const std::string& cid) {
    const std::string slot = digits_at_end(name);
    const std::string card = fmt::format("/sys/devices/platform/soc/fe340000.mmc/mmc_host/mmc{0}/mmc{0}:aaa{0}", slot);
    ancestor(card, "mmc",
             {{"type", "SD"},
              {"cid", cid},
              {"csd", "400e00325b5900003b877f800a400000"},
              {"scr", "0235804300000000"},
              {"name", "SD32G"}});
    add({.name = name,
         .path = card + "/block/" + name,
         .number = fmt::format("179:{}", 32 * std::stoi(slot)),
         .size_sectors = "62333952",
         .attributes = {},
         .properties = {},
         .links = {{"device", "../../../" + fs::path(card).filename().string()}},
         .label = {}});
    return *this;
}

Machine& Machine::emmc(const std::string& name) {
    const std::string slot = digits_at_end(name);
    const std::string card = fmt::format("/sys/devices/platform/soc/fe330000.mmc/mmc_host/mmc{0}/mmc{0}:0001", slot);
    ancestor(card, "mmc", {{"type", "MMC"}, {"name", "DG4016"}, {"serial", "0x6f7a1b22"}});
    const std::string device = "../../../" + fs::path(card).filename().string();
    add({.name = name,
         .path = card + "/block/" + name,
         .number = fmt::format("179:{}", 32 * std::stoi(slot)),
         .size_sectors = "30777344",
         .attributes = {},
         .properties = {},
         .links = {{"device", device}},
         .label = {}});
    // The boot areas are separate disks below the card.
    add({.name = name + "boot0",
         .path = card + "/block/" + name + "/" + name + "boot0",
         .number = fmt::format("179:{}", 32 * std::stoi(slot) + 8),
         .size_sectors = "8192",
         .attributes = {},
         .properties = {},
         .links = {{"device", "../../../../" + fs::path(card).filename().string()}},
         .label = {}});
    return *this;
}

Machine& Machine::virtio(const std::string& name) {
    const std::string device = pci("0000:00:05.0", "fixed") + "/virtio1";
    ancestor(device, "virtio");
    add({.name = name,
         .path = device + "/block/" + name,
         .number = fmt::format("252:{}", 16 * (name[2] - 'a')),
         .size_sectors = "41943040",
         .attributes = {{"serial", "vm-disk-1"}},
         .properties = {},
         .links = {{"device", "../../../virtio1"}},
         .label = {}});
    return *this;
}

Machine& Machine::iscsi(const std::string& name) {
    const std::string scsi = "/sys/devices/platform/host9/session1/target9:0:0/9:0:0:0";
    ancestor(scsi, "scsi", {{"vendor", "LIO-ORG "}, {"model", "store"}, {"rev", "4.0"}});
    add({.name = name,
         .path = scsi + "/block/" + name,
         .number = scsi_number(name),
         .size_sectors = "41943040",
         .attributes = {},
         .properties = {},
         .links = {{"device", "../../../9:0:0:0"}},
         .label = {}});
    return *this;
}

Machine& Machine::virtual_disk(const std::string& name, const std::string& major) {
    add({.name = name,
         .path = "/sys/devices/virtual/block/" + name,
         .number = major + ":" + digits_at_end(name),
         .size_sectors = "4194304",
         .attributes = {},
         .properties = {},
         .links = {},
         .label = {}});
    return *this;
}

Machine& Machine::optical(const std::string& name) {
    const std::string scsi = pci("0000:00:17.0", "fixed") + "/ata6/host6/target6:0:0/6:0:0:0";
    ancestor(scsi, "scsi", {{"vendor", "HL-DT-ST"}, {"model", "DVDRAM"}, {"rev", "1.00"}});
    add({.name = name,
         .path = scsi + "/block/" + name,
         .number = "11:0",
         .size_sectors = "8946688",
         .removable = true,
         .attributes = {},
         .properties = {},
         .links = {{"device", "../../../6:0:0:0"}},
         .label = {}});
    return *this;
}

KernelQuestions without_the_real_kernel() {
    const auto no_answer = [](LoopEntry& loop) {
        loop.doubt = loop.name + " does not answer";
        return LoopAnswer::not_told;
    };
    return {.loop = no_answer, .other_namespaces = [] { return std::vector<std::string>(); }};
}

Machine& Machine::loop(const std::string& name, const std::string& backing_file) {
    Shape shape{.name = name,
                .path = "/sys/devices/virtual/block/" + name,
                .number = "7:" + digits_at_end(name),
                .size_sectors = backing_file.empty() ? "0" : "131072",
                .removable = false,
                .attributes = {},
                .properties = {},
                .links = {},
                .label = {}};
    if (!backing_file.empty()) shape.attributes["loop/backing_file"] = backing_file;
    add(shape);
    return *this;
}

Machine& Machine::nvme_system() {
    return nvme("nvme0n1", "S64DNF0R1")
        .partition("nvme0n1p1")
        .partition("nvme0n1p2")
        .partition("nvme0n1p3")
        .mount("nvme0n1p1", "/boot/efi", "vfat")
        .mount("nvme0n1p2", "/")
        .swap("/dev/nvme0n1p3");
}

Machine& Machine::partition(const std::string& name) {
    const std::string number = digits_at_end(name);
    std::string disk = name.substr(0, name.size() - number.size());
    if (paths_.count(disk) == 0) disk.pop_back(); // nvme0n1p2, mmcblk0p1
    const std::string& disk_number = numbers_.at(disk);
    const auto colon = disk_number.find(':');
    const int minor = std::stoi(disk_number.substr(colon + 1)) + std::stoi(number);
    const std::uint64_t start = 2048ull + (std::stoull(number) - 1) * 2097152;
    add({.name = name,
         .path = paths_.at(disk) + "/" + name,
         .number = fmt::format("{}:{}", disk_number.substr(0, colon), minor),
         .size_sectors = "2097152",
         .attributes = {{"partition", number}, {"start", std::to_string(start)}},
         .properties = {{"DEVTYPE", "partition"}},
         .links = {},
         .label = {}});
    return *this;
}

Machine& Machine::stacked(const std::string& name, const std::string& major, const std::vector<std::string>& below) {
    virtual_disk(name, major);
    for (const std::string& lower : below) {
        fs::create_directory_symlink(root_ + paths_.at(name), sys(lower, "holders/" + name));
        fs::create_directory_symlink(root_ + paths_.at(lower), sys(name, "slaves/" + lower));
    }
    return *this;
}

Machine& Machine::dm(const std::string& name, const std::string& title, const std::vector<std::string>& below) {
    stacked(name, "253", below);
    write_file(sys(name, "dm/name"), title + "\n");
    return *this;
}

Machine& Machine::mount(const std::string& name, const std::string& point, const std::string& file_system) {
    mounts_.push_back(fmt::format("{} 1 {} / {} rw,relatime shared:1 - {} /dev/{} rw", next_mount_++, numbers_.at(name),
                                  point, file_system, name));
    write_tables();
    return *this;
}

Machine& Machine::mount_anonymous(const std::string& source, const std::string& point, const std::string& file_system,
                                  const std::string& options) {
    mounts_.push_back(
        fmt::format("{0} 1 0:{0} / {1} rw,relatime - {2} {3} {4}", next_mount_++, point, file_system, source, options));
    write_tables();
    return *this;
}

Machine& Machine::mount_in_init(const std::string& name, const std::string& point) {
    init_mounts_.push_back(
        fmt::format("{} 1 {} / {} rw,relatime - ext4 /dev/{} rw", next_mount_++, numbers_.at(name), point, name));
    write_tables();
    return *this;
}

Machine& Machine::swap(const std::string& path, const std::string& type) {
    swaps_.push_back(fmt::format("{}\t{}\t8388604\t0\t-2", path, type));
    write_tables();
    return *this;
}

void Machine::write_tables() {
    const auto joined = [](const std::vector<std::string>& lines) {
        std::string text;
        for (const std::string& line : lines) text += line + "\n";
        return text;
    };
    proc("self/mountinfo", joined(mounts_));
    proc("1/mountinfo", joined(mounts_) + joined(init_mounts_));
    proc("swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n" + joined(swaps_));
}

Machine& Machine::proc(const std::string& path, const std::string& content) {
    write_file(root_ + "/proc/" + path, content);
    return *this;
}

Machine& Machine::debug(const std::string& path, const std::string& content) {
    write_file(root_ + "/sys/kernel/debug/" + path, content);
    return *this;
}

Machine& Machine::unreadable_proc(const std::string& path) {
    fs::remove(root_ + "/proc/" + path);
    fs::create_directories(root_ + "/proc/" + path);
    return *this;
}

} // namespace mediarig::media::scenarios
