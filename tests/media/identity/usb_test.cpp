// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the rows and notes about the USB attachment of a device. Its descriptors were built by hand from the USB 3.2
/// specification.
#include "host/media/claim/linux/kernel/attachment.hpp"
#include "host/media/claim/linux/kernel/usb_descriptors.hpp"
#include "host/media/identity/indications.hpp"
#include "host/media/identity/rows.hpp"
#include "tests/catch.hpp"
#include "tests/media/identity/shown.hpp"
#include "tests/media/identity/stick.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace std::string_literals;

namespace {

const std::string device = "\x12\x01\x20\x03\x00\x00\x00\x09\x81\x07\x81\x55\x00\x01\x01\x02\x03\x01"s;
const std::string configuration = "\x09\x02\x55\x00\x01\x01\x00\x80\x70"s;
const std::string bot = "\x09\x04\x00\x00\x02\x08\x06\x50\x00"s;
const std::string uas = "\x09\x04\x00\x01\x04\x08\x06\x62\x00"s;
const std::string endpoint = "\x07\x05\x81\x02\x00\x04\x00"s;

const std::string bos_head = "\x05\x0f\x2a\x00\x03"s;
const std::string usb_2_extension = "\x07\x10\x02\x02\x00\x00\x00"s;
const std::string super_speed = "\x0a\x10\x03\x00\x0e\x00\x01\x0a\xff\x07"s;
/// Two sublinks of 10 Gbit/s: exponent giga, mantissa 10.
const std::string super_speed_plus =
    "\x14\x10\x0a\x00\x01\x00\x00\x00\x00\x11\x00\x00\x30\x40\x0a\x00\xb0\x40\x0a\x00"s;

Medium stick() {
    Medium medium = ultra_fit();
    medium.usb->version = "3.20";
    medium.usb->offers_bot = true;
    return medium;
}

} // namespace

TEST_CASE("a medium's uplinks are its host controller and each hub, not its reader") {
    const std::string controller = "/sys/devices/pci0000:00/0000:00:14.0";
    using Uplinks = std::vector<std::string>;
    CHECK(uplinks_of("").empty());
    CHECK(uplinks_of("/sys/devices/platform/soc/mmc0/mmcblk0").empty());
    CHECK(uplinks_of(controller + "/usb2/2-3/2-3:1.0/host6/target6:0:0/6:0:0:0/block/sda") == Uplinks{controller});
    CHECK(uplinks_of(controller + "/usb2/2-1/2-1.4/2-1.4.2/2-1.4.2:1.0/host6/block/sda") ==
          Uplinks{controller, controller + "/usb2/2-1", controller + "/usb2/2-1/2-1.4"});
    // A controller below a bridge, and the controller of an enclosure.
    const std::string behind = "/sys/devices/pci0000:00/0000:00:1c.0/0000:02:00.0";
    CHECK(uplinks_of(behind + "/nvme/nvme1/nvme1n1") == Uplinks{behind});
    CHECK(uplinks_of(behind + "/usb4/4-1/4-1:1.0/host1") == Uplinks{behind});
}

TEST_CASE("the logical unit is the last number of the SCSI address, and a native card has no logical unit") {
    const std::string interface = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/";
    CHECK(lun_of(interface + "host6/target6:0:0/6:0:0:0/block/sdb") == 0);
    CHECK(lun_of(interface + "host6/target6:0:0/6:0:0:12/block/sdb") == 12);
    CHECK(lun_of(interface + "host6/target6:0:0/6:0:0:1/block/sdb/sdb1") == 1);
    CHECK_FALSE(lun_of(interface + "mmc_host/mmc0/mmc0:4567/block/mmcblk0"));
    CHECK_FALSE(lun_of("/sys/devices/virtual/block/loop0"));
    CHECK_FALSE(lun_of("6:0:0:1"));
    CHECK_FALSE(lun_of(""));
}

TEST_CASE("interface descriptors list the protocols of a device") {
    CHECK(storage_offers_in(device + configuration + bot + endpoint + endpoint) == UsbStorageOffers{true, false});
    CHECK(storage_offers_in(device + configuration + bot + endpoint + uas) == UsbStorageOffers{true, true});
    CHECK(storage_offers_in(device + configuration) == UsbStorageOffers{});
    // The descriptor of a keyboard.
    CHECK(storage_offers_in("\x09\x04\x00\x00\x01\x03\x01\x01\x00"s) == UsbStorageOffers{});
    // Lengths of 0, 1 and beyond the end stop the parser.
    CHECK(storage_offers_in(device + "\x00\x04"s + bot) == UsbStorageOffers{});
    CHECK(storage_offers_in("\x01"s + bot) == UsbStorageOffers{});
    CHECK(storage_offers_in(bot.substr(0, 8)) == UsbStorageOffers{});
    CHECK(storage_offers_in("") == UsbStorageOffers{});
}

TEST_CASE("the Binary Object Store contains the fastest speed of a device") {
    CHECK(capable_speed_in(bos_head + usb_2_extension + super_speed) == 5000);
    CHECK(capable_speed_in(bos_head + usb_2_extension + super_speed + super_speed_plus) == 10000);
    CHECK(capable_speed_in(bos_head + usb_2_extension) == 0);
    CHECK(capable_speed_in("") == 0);
    CHECK(capable_speed_in(bos_head + super_speed.substr(0, 5)) == 0);
    // 65535 Gbit/s is invalid.
    CHECK(capable_speed_in("\x10\x10\x0a\x00\x00\x00\x00\x00\x00\x11\x00\x00\x30\x40\xff\xff"s) == 0);
}

TEST_CASE("each row of a stick has a value, a unit and its source descriptor") {
    const auto rows = identity_rows(stick());
    CHECK(shown(rows, "USB", "vendor_id") == "0781 (idVendor)");
    CHECK(shown(rows, "USB", "speed") == "5000 Mbit/s (speed)");
    CHECK(shown(rows, "USB", "max_power") == "896 mA (bMaxPower)");
    CHECK(shown(rows, "USB", "protocol") == "BOT: one command at a time (driver, descriptors)");
    CHECK(shown(rows, "USB", "interface_class") == "08/06/50 (bInterfaceClass)");
    CHECK(shown(rows, "USB", "lanes").empty());
    CHECK(shown(rows, "medium", "removable") == "yes (removable)");
}

TEST_CASE("registers of a card in a USB reader are reported as not available") {
    const auto rows = identity_rows(stick());
    CHECK(shown(rows, "card", "registers") ==
          "not available: a USB reader hides the registers of its card (CID, CSD, SCR, SSR, OCR)");
    for (const IdentityRow& row : rows) CHECK_FALSE((row.section == "CID" || row.section == "SSR"));
}

TEST_CASE("a device that runs at full speed with all its features has no notes") {
    CHECK(attachment_notes(stick()).empty());
}

TEST_CASE("a USB 3 device on a USB 2 port causes a note") {
    Medium medium = stick();
    medium.usb->speed_mbit = 480;
    medium.usb->capable_mbit = 5000;
    auto notes = attachment_notes(medium);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].name == "usb_slower");
    CHECK(notes[0].found == "480 Mbit/s of 5000 Mbit/s");
    CHECK(notes[0].certainty == Certainty::specification);
    // An older kernel does not report the highest speed, and other devices also report 2.10.
    medium.usb->capable_mbit = 0;
    medium.usb->version = "2.10";
    notes = attachment_notes(medium);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].name == "usb_perhaps_slower");
    medium.usb->version = "2.00";
    CHECK(attachment_notes(medium).empty());
}

TEST_CASE("a UAS device bound to BOT causes a note") {
    Medium medium = stick();
    medium.usb->offers_uas = true;
    const auto notes = attachment_notes(medium);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].name == "uas_unused");
    CHECK(shown(identity_rows(medium), "USB", "protocol") ==
          "BOT: one command at a time, though the device offers UAS (driver, descriptors)");
    medium.usb->driver = "uas";
    CHECK(attachment_notes(medium).empty());
    CHECK(shown(identity_rows(medium), "USB", "protocol") == "UAS: many commands at a time (driver, descriptors)");
}

TEST_CASE("the rows of SCSI pages and queue limits name the page or file") {
    Medium medium = stick();
    medium.logical_sector = 512;
    medium.physical_sector = 4096;
    medium.scsi = ScsiIdentity{.vendor = "SanDisk",
                               .model = "Ultra Fit",
                               .revision = "1.00",
                               .unit_serial = "4C53",
                               .designator = "naa.5001b44800123456"};
    medium.scsi->inquiry = ScsiInquiry{.peripheral_type = 0, .removable = true, .version = 6};
    medium.scsi->pages = {0x00, 0x80, 0xB0};
    medium.scsi->designators = {{"unit", "naa", "naa.5001b44800123456"}};
    medium.scsi->limits = ScsiBlockLimits{.max_unmap = 32, .unmap_alignment = 0};
    medium.scsi->characteristics = ScsiCharacteristics{.rotation_rate = 1, .form_factor = 0};
    medium.scsi->provisioning = ScsiProvisioning{.unmap = true, .zeroes_after = 1, .type = 2};
    medium.queue = QueueLimits{.minimum_io = Bytes{4096},
                               .optimal_io = {},
                               .discard_granularity = Bytes{4096},
                               .discard_max = 4_MiB,
                               .max_transfer = 120_KiB,
                               .alignment_offset = Bytes{3584},
                               .write_cache = "write back"};
    const auto rows = identity_rows(medium);
    CHECK(shown(rows, "SCSI", "peripheral_type") == "direct access (INQUIRY)");
    CHECK(shown(rows, "SCSI", "version") == "SPC-4 (INQUIRY)");
    CHECK(shown(rows, "SCSI", "pages") == "00 80 b0 (VPD 00)");
    CHECK(shown(rows, "SCSI", "unit_serial") == "4C53 (VPD 80)");
    CHECK(shown(rows, "SCSI", "designator") == "naa.5001b44800123456 (naa, of the unit) (VPD 83)");
    CHECK(shown(rows, "SCSI", "max_unmap") == "32 blocks (VPD B0)");
    CHECK(shown(rows, "SCSI", "unmap_alignment") == "0 blocks (VPD B0)");
    CHECK(shown(rows, "SCSI", "rotation") == "does not rotate (VPD B1)");
    CHECK(shown(rows, "SCSI", "form_factor").empty());
    CHECK(shown(rows, "SCSI", "provisioning") == "thin (VPD B2)");
    CHECK(shown(rows, "SCSI", "zeroes_after_unmap") == "yes (VPD B2)");
    CHECK(shown(rows, "queue", "physical_exponent") == "3 (queue/physical_block_size)");
    CHECK(shown(rows, "queue", "lowest_aligned_lba") == "7 (alignment_offset)");
    CHECK(shown(rows, "queue", "discard") == "yes (queue/discard_max_bytes)");
    CHECK(shown(rows, "queue", "optimal_io").empty());
    CHECK(shown(rows, "queue", "max_transfer") == "122880 B (queue/max_sectors_kb)");
}
