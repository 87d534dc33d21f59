// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the discovery of devices in umockdev's trees, through udev and through plain sysfs.
#include <poll.h>

#include <algorithm>

#include "host/media/claim/linux/hotplug_monitors.hpp"
#include "host/media/claim/linux/linux_discovery.hpp"
#include "tests/catch.hpp"
#include "tests/media/claim/device_trees/machine.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::media::scenarios;

namespace {

std::vector<LinuxDiscovery> both_ways(Machine& machine) {
    const auto look = [&machine](const std::string& node) { return machine.farm().look(node); };
    std::vector<LinuxDiscovery> ways;
    ways.emplace_back(with_udev(), look, without_the_real_kernel());
    ways.emplace_back(without_udev(), look, without_the_real_kernel());
    return ways;
}

/// Returns the next event, with a timeout suitable for a loaded machine.
std::optional<HotplugEvent> await(HotplugMonitor& monitor) {
    struct pollfd waiting {
        monitor.descriptor(), POLLIN, 0
    };
    ::poll(&waiting, 1, 10'000);
    return monitor.next();
}

} // namespace

TEST_CASE("the identity of a USB stick on a hub contains descriptors, speed, driver, port and partitions") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system()
        .usb({.name = "sdb", .serial = "4C53", .port = "1-2.3"})
        .partition("sdb1")
        .mount("sdb1", "/mnt", "exfat");
    m.property("sdb1", "ID_FS_TYPE", "exfat").property("sdb1", "ID_FS_LABEL", "CAMERA");
    for (LinuxDiscovery& discovery : both_ways(m)) {
        const auto medium = discovery.identify("/dev/sdb");
        REQUIRE(reason(medium) == "success");
        CHECK(medium->node == "/dev/sdb");
        CHECK(medium->number == DeviceNumber{8, 16});
        CHECK(medium->transport == Transport::usb);
        UsbIdentity usb{"0781", "5581", "1.00", "SanDisk", "Ultra Fit", "4C53", 5000, "usb-storage", "1-2.3", 896};
        usb.version = "3.20";
        usb.device_class = "00/00/00";
        usb.interface_class = "08/06/50";
        usb.rx_lanes = usb.tx_lanes = usb.configuration = usb.configurations = 1;
        usb.bus = 2;
        usb.address = 7;
        usb.wiring = "removable";
        usb.offers_bot = usb.offers_uas = true;
        usb.capable_mbit = 5000;
        CHECK(medium->usb == usb);
        ScsiIdentity scsi{"SanDisk", "Ultra Fit", "1.00", "", ""};
        scsi.inquiry = ScsiInquiry{.peripheral_type = 0, .removable = true, .version = 6};
        scsi.characteristics = ScsiCharacteristics{.rotation_rate = 1};
        CHECK(medium->scsi == scsi);
        CHECK(medium->serial == "4C53");
        CHECK(medium->size == 32_GiB);
        CHECK(medium->removable);
        CHECK_FALSE(medium->rotational);
        REQUIRE(medium->partitions.size() == 1);
        CHECK(medium->partitions[0].node == "/dev/sdb1");
        CHECK(medium->partitions[0].start == 1_MiB);
        CHECK(medium->partitions[0].size == 1_GiB);
        CHECK(medium->partitions[0].mounted_on == std::vector<std::string>{"/mnt"});
    }
    CHECK(both_ways(m)[0].identify("/dev/sdb")->partitions[0].file_system == "exfat");
    CHECK(both_ways(m)[0].identify("/dev/sdb")->partitions[0].label == "CAMERA");
}

TEST_CASE("BOT and UAS are distinguished by the bound driver") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system()
        .usb({.name = "sda", .serial = "A", .port = "1-1"})
        .usb({.name = "sdb", .serial = "B", .port = "1-2", .driver = "uas"});
    for (LinuxDiscovery& discovery : both_ways(m)) {
        CHECK(discovery.identify("/dev/sda")->usb->driver == "usb-storage");
        CHECK(discovery.identify("/dev/sdb")->usb->driver == "uas");
    }
}

TEST_CASE("block layer limits come from the queue, and limits that an old kernel lacks cause no refusal") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system()
        .usb({.name = "sdb", .serial = "A"})
        .attribute("sdb", "queue/discard_max_bytes", "4194304")
        .attribute("sdb", "queue/discard_granularity", "4096")
        .attribute("sdb", "queue/optimal_io_size", "1048576")
        .attribute("sdb", "queue/max_sectors_kb", "120")
        .attribute("sdb", "alignment_offset", "3584");
    for (LinuxDiscovery& discovery : both_ways(m)) {
        const auto medium = discovery.identify("/dev/sdb");
        REQUIRE(medium);
        CHECK(medium->queue == QueueLimits{.minimum_io = {},
                                           .optimal_io = 1_MiB,
                                           .discard_granularity = 4_KiB,
                                           .discard_max = 4_MiB,
                                           .max_transfer = 120_KiB,
                                           .alignment_offset = Bytes{3584},
                                           .write_cache = {}});
        CHECK(medium->refusals.empty());
    }
}

TEST_CASE("the identity contains SD card registers, the VPD serial of a disk and the link of an NVMe disk") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system().sata("sda", "WD-WCC4E1").sd_card("mmcblk0", "1b534d474638533530d8466363a16700").virtio("vda");
    for (LinuxDiscovery& discovery : both_ways(m)) {
        const auto card = discovery.identify("/dev/mmcblk0");
        REQUIRE(card);
        CHECK(card->transport == Transport::mmc);
        CHECK(card->sd->product_name == "GF8S5");
        CHECK(card->sd->csd_capacity == Bytes{7990149120});
        CHECK(card->serial == "0xd8466363");
        CHECK_FALSE(card->sd->allocation_unit);
        const auto disk = discovery.identify("/dev/sda");
        CHECK(disk->transport == Transport::sata);
        CHECK(disk->serial == "WD-WCC4E1");
        CHECK(disk->model == "WDC WD40EFRX-68N");
        CHECK(disk->rotational);
        const auto nvme = discovery.identify("/dev/nvme0n1");
        CHECK(nvme->nvme == NvmeIdentity{"Samsung SSD 980", "S64DNF0R1", "3B4QFXO7", "8.0 GT/s PCIe x4"});
        CHECK(discovery.identify("/dev/vda")->transport == Transport::virtio);
    }
}

TEST_CASE("the bus mode of an SD slot is read from debugfs only") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system().sd_card("mmcblk0", "1b534d474638533530d8466363a16700");
    const auto bus = [&] {
        const auto card = both_ways(m)[0].identify("/dev/mmcblk0");
        REQUIRE(card);
        CHECK(card->refusals.empty());
        return std::tuple(card->sd->bus_timing, card->sd->bus_clock_hz, card->sd->bus_width);
    };
    CHECK(bus() == std::tuple("", 0, 0));
    m.debug("mmc0/ios",
            "clock:\t\t208000000 Hz\nactual clock:\t200000000 Hz\nvdd:\t\t21 (3.3 ~ 3.4 V)\nbus mode:\t2 (push-pull)\n"
            "chip select:\t0 (don't care)\npower mode:\t2 (on)\nbus width:\t2 (4 bits)\n"
            "timing spec:\t6 (sd uhs SDR104)\nsignal voltage:\t1 (1.80 V)\ndriver type:\t0 (driver type B)\n");
    CHECK(bus() == std::tuple("sd uhs SDR104", 208'000'000, 4));
    m.debug("mmc0/ios", "clock:\t\t0 Hz\nbus width:\t0 (1 bits)\ntiming spec:\t0 (legacy)\n");
    CHECK(bus() == std::tuple("legacy", 0, 1));
    m.debug("mmc0/ios", "clock\nbus width: ) (\ntiming spec:");
    CHECK(bus() == std::tuple("", 0, 0));
}

TEST_CASE("the list contains whole devices sorted by name with their own refusals, and no partitions") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system()
        .usb({.name = "sdb", .serial = "A"})
        .partition("sdb1")
        .loop("loop0", "")
        .virtual_disk("zram0", "251");
    for (LinuxDiscovery& discovery : both_ways(m)) {
        const auto list = discovery.list();
        REQUIRE(list);
        std::vector<std::string> nodes;
        for (const Medium& medium : *list) nodes.push_back(medium.node);
        CHECK(nodes == std::vector<std::string>{"/dev/loop0", "/dev/nvme0n1", "/dev/sdb", "/dev/zram0"});
        CHECK_FALSE((*list)[1].refusals.empty());
        CHECK((*list)[2].refusals.empty());
    }
}

TEST_CASE("without udev, only the file system of a medium that may be tested is read from the medium") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system().usb({.name = "sdb", .serial = "A"}).partition("sdb1");
    m.hidden_signature("sdb1", {"exfat", "filesystem", "CAMERA", {}, 1})
        .hidden_signature("nvme0n1", {"ext4", "", "", {}, 1});
    for (LinuxDiscovery& discovery : both_ways(m)) {
        CHECK(discovery.identify("/dev/sdb")->partitions[0].file_system == "exfat");
        CHECK(discovery.identify("/dev/sdb")->partitions[0].label == "CAMERA");
        CHECK(discovery.identify("/dev/nvme0n1")->file_system.empty());
    }
}

TEST_CASE("a serial with control characters reaches neither terminal nor message") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system()
        .usb({.name = "sdb", .serial = "A"})
        .attribute("sdb", "device/../../../../serial", "\x1b]0;pwned\x07");
    for (LinuxDiscovery& discovery : both_ways(m)) CHECK(discovery.identify("/dev/sdb")->serial == "?]0;pwned?");
}

TEST_CASE("udev events of disks arrive in order, and events of partitions are ignored") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system();
    auto monitor = make_udev_monitor();
    REQUIRE(reason(monitor) == "success");
    CHECK_FALSE((*monitor)->next());
    m.usb({.name = "sdb", .serial = "A"}).partition("sdb1");
    m.uevent("sdb", "add").uevent("sdb1", "add").uevent("sdb", "change").uevent("sdb", "remove");
    std::vector<HotplugKind> kinds;
    while (kinds.empty() || kinds.back() != HotplugKind::removed) {
        const auto event = await(**monitor);
        REQUIRE(event);
        CHECK(event->node == "/dev/sdb");
        CHECK(event->number == DeviceNumber{8, 16});
        kinds.push_back(event->kind);
    }
    // umockdev also reports a device when it is created.
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    CHECK(kinds == std::vector<HotplugKind>{HotplugKind::added, HotplugKind::changed, HotplugKind::removed});
}

TEST_CASE("a disk that udev reports as claimed by multipathd is held, with or without a mapped device") {
    TestBed bed;
    Machine m(bed);
    m.nvme_system().usb({.name = "sdb", .serial = "AA11"}).property("sdb", "DM_MULTIPATH_DEVICE_PATH", "1");
    const auto medium = both_ways(m)[0].identify("/dev/sdb");
    REQUIRE(reason(medium) == "success");
    CHECK(medium->refusals ==
          std::vector<Refusal>{
              {RefusalKind::held, "sdb is a path of a multipath device, as multipathd reported to udev"}});
}
