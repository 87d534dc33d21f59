// SPDX-License-Identifier: GPL-3.0-or-later
/// Machines for the safety scenarios: device trees in the shape that the kernel gives real ones, served by umockdev,
/// with a fake disk for each device node.
///     Machine().nvme_system().usb({.name = "sdb", .serial = "AA11"}).partition("sdb1").mount("sdb1", "/media/stick");
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/media/claim/linux/linux_discovery.hpp"
#include "tests/media/claim/device_trees/disk_farm.hpp"

typedef struct _UMockdevTestbed UMockdevTestbed; // NOLINT(bugprone-reserved-identifier): the library's own name

namespace mediarig::media::scenarios {

/// A disk on USB. `fake` values are those of a usual stick. A scenario sets only the relevant values.
struct OnUsb {
    std::string name;
    std::string serial;
    std::string port{"1-1"};
    std::string lun{"0"};
    std::string driver{"usb-storage"};
    std::string model{"Ultra Fit"};
    std::string wiring{"removable"}; ///< wiring of the USB device: "removable", "fixed", "unknown"
    bool removable_media{true};
    Bytes size{32_GiB};
    std::string label{}; ///< the scenario's name of the physical disk; empty: `name`
};

/// umockdev's test bed, shared by all machines: making a test bed takes half a second, clearing it takes almost no
/// time.
class TestBed {
public:
    TestBed();
    TestBed(const TestBed&) = delete;
    TestBed& operator=(const TestBed&) = delete;
    ~TestBed();
    [[nodiscard]] UMockdevTestbed* get() const { return bed_; }

private:
    UMockdevTestbed* bed_;
};

/// umockdev answers no ioctls of loop devices: their backing is taken from their paths in sysfs. Processes of the real
/// machine do not belong to the scenario's machine.
[[nodiscard]] KernelQuestions without_the_real_kernel();

class Machine {
public:
    explicit Machine(TestBed& bed);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    ~Machine();

    // Disks, each with the tree above it.
    Machine& usb(const OnUsb& disk);
    Machine& nvme(const std::string& name, const std::string& serial, const std::string& pci_removable = "fixed");
    Machine& sata(const std::string& name, const std::string& serial, const std::string& pci_removable = "fixed");
    Machine& sd_card(const std::string& name, const std::string& cid);
    Machine& emmc(const std::string& name);
    Machine& virtio(const std::string& name);
    Machine& iscsi(const std::string& name);
    Machine& virtual_disk(const std::string& name, const std::string& major); ///< nbd0, zram0, md0 …
    Machine& optical(const std::string& name);
    Machine& loop(const std::string& name, const std::string& backing_file);
    Machine& nvme_system(); ///< nvme0n1: p1 /boot/efi, p2 /, p3 swap

    // Partitions, mounts and other contents of the disks.
    Machine& partition(const std::string& name);
    Machine& dm(const std::string& name, const std::string& title, const std::vector<std::string>& below);
    Machine& stacked(const std::string& name, const std::string& major, const std::vector<std::string>& below);
    Machine& mount(const std::string& name, const std::string& point, const std::string& file_system = "ext4");
    /// A mount with an anonymous device number (btrfs, overlay, ZFS, FUSE).
    Machine& mount_anonymous(const std::string& source, const std::string& point, const std::string& file_system,
                             const std::string& options = "rw");
    Machine& mount_in_init(const std::string& name, const std::string& point);
    Machine& swap(const std::string& path, const std::string& type = "partition");
    Machine& btrfs_volume(const std::vector<std::string>& names);
    /// Adds a signature to the medium, and to its udev properties if udev is running.
    Machine& signature(const std::string& name, const std::string& type, const std::string& usage = "",
                       const std::string& label = "");
    /// Adds a signature to the medium only, without notifying udev.
    Machine& hidden_signature(const std::string& name, const Signature& signature);

    // Events on the disks.
    Machine& unplug(const std::string& name);
    /// The physical disk of `name` disappears and returns as `as` with a new disk sequence.
    Machine& reappear(const std::string& name, OnUsb as);
    /// Replaces the medium in the slot: same name and numbers, but a new disk sequence.
    Machine& new_medium(const std::string& name, const std::string& label, Bytes size);
    Machine& held_by(const std::string& name, const std::string& who);
    Machine& attribute(const std::string& name, const std::string& attribute, const std::string& value);
    Machine& without_attribute(const std::string& name, const std::string& attribute);
    Machine& unreadable(const std::string& name, const std::string& attribute);
    Machine& property(const std::string& name, const std::string& key, const std::string& value);
    Machine& link(const std::string& path, const std::string& name);
    Machine& kernel_without_disk_sequence();
    Machine& proc(const std::string& path, const std::string& content);  ///< "self/mountinfo", "swaps"
    Machine& debug(const std::string& path, const std::string& content); ///< "mmc0/ios"
    Machine& unreadable_proc(const std::string& path);
    Machine& uevent(const std::string& name, const std::string& action);
    /// Makes a file of this size on the machine's disk, and returns its path.
    std::string file(const std::string& name, Bytes size);

    [[nodiscard]] DiskFarm& farm() { return farm_; }
    [[nodiscard]] PhysicalDisk& disk(const std::string& name) { return farm_.at("/dev/" + name); }

private:
    struct Shape {
        std::string name, path, number, size_sectors;
        bool removable{};
        std::map<std::string, std::string> attributes, properties, links;
        std::string label;
    };
    void add(const Shape& shape);
    void ancestor(const std::string& path, const std::string& subsystem,
                  const std::map<std::string, std::string>& attributes = {});
    void feed(const std::string& description);
    void write_tables();
    static void write_file(const std::string& path, const std::string& content);
    [[nodiscard]] std::string sys(const std::string& name, const std::string& attribute) const;
    [[nodiscard]] std::string pci(const std::string& function, const std::string& removable);

    UMockdevTestbed* bed_;
    std::string root_;
    DiskFarm farm_;
    std::map<std::string, std::string> paths_, numbers_;
    std::map<std::string, std::size_t> hosts_; ///< SCSI host numbers, one per USB port
    std::vector<std::string> mounts_, init_mounts_, swaps_;
    std::uint64_t next_sequence_{1};
    int next_nvme_minor_{0}, next_mount_{100};
};

} // namespace mediarig::media::scenarios
