// SPDX-License-Identifier: GPL-3.0-or-later
/// Keys, confirmations, names and the JSON form of a medium; VPD pages, mount tables and kernel events.
#include <set>

#include "host/media/claim/linux/kernel/mount_table.hpp"
#include "host/media/claim/linux/kernel/uevent.hpp"
#include "host/media/claim/linux/kernel/vpd_pages.hpp"
#include "host/media/claim/signature.hpp"
#include "host/media/identity/confirmation.hpp"
#include "host/media/identity/medium.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace std::string_literals;

namespace {

Medium plain_stick() {
    Medium medium;
    medium.node = "/dev/sdb";
    medium.number = {8, 16};
    medium.disk_sequence = 42;
    medium.sysfs_path =
        "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2.3/1-2.3:1.0/host6/target6:0:0/6:0:0:0/block/sdb";
    medium.uplinks = {"/sys/devices/pci0000:00/0000:00:14.0", "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-2"};
    medium.lun = 0;
    medium.transport = Transport::usb;
    medium.vendor = "SanDisk";
    medium.model = "Ultra Fit";
    medium.revision = "1.00";
    medium.serial = "4C530001230715117180";
    medium.size = 32_GiB;
    medium.usb = UsbIdentity{"0781", "5581",        "1.00",  "SanDisk", "Ultra Fit", "4C530001230715117180",
                             5000,   "usb-storage", "1-2.3", 896};
    medium.scsi = ScsiIdentity{"SanDisk", "Ultra Fit", "1.00", "", ""};
    medium.partitions = {{"/dev/sdb1", 1, 1_MiB, 31_GiB, "exfat", "CAMERA", {"/media/camera"}}};
    medium.refusals = {{RefusalKind::mounted, "partition sdb1 is mounted on /media/camera"}};
    return medium;
}

Medium plain_card() {
    Medium medium;
    medium.node = "/dev/mmcblk0";
    medium.transport = Transport::mmc;
    medium.sd = SdIdentity{};
    medium.sd->cid = "1b534d474638533530d8466363a16700";
    medium.sd->video_class = 30;
    medium.serial = "0xd8466363";
    return medium;
}

} // namespace

TEST_CASE("the key of a medium does not depend on re-plugging and port, and is a valid file name") {
    CHECK(device_key(plain_stick()) == "usb-0781-5581-4C530001230715117180");
    Medium moved = plain_stick();
    moved.node = "/dev/sdq";
    moved.sysfs_path = "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host9/target9:0:0/9:0:0:0/block/sdq";
    CHECK(device_key(moved) == device_key(plain_stick()));
    Medium second_slot = plain_stick();
    second_slot.lun = 1;
    CHECK(device_key(second_slot) == "usb-0781-5581-4C530001230715117180-lun1");
    Medium nameless = plain_stick();
    nameless.serial.clear();
    CHECK(device_key(nameless) == "usb-0781-5581-at-1-2.3");
    CHECK(device_key(plain_card()) == "sd-1b534d474638533530d8466363a167");
}

TEST_CASE("a card keeps its key on a host that strips the checksum from the CID") {
    Medium stripped = plain_card();
    stripped.sd->cid = "1b534d474638533530d8466363a167f1";
    CHECK(device_key(stripped) == device_key(plain_card()));
}

TEST_CASE("an image and its loop device have the same key, and two images of the same name have different keys") {
    Medium image, loop, other;
    image.node = "/srv/media/fast.img";
    image.transport = other.transport = Transport::image;
    loop.node = "/dev/loop3";
    loop.transport = Transport::loop;
    loop.backing_file = image.node;
    other.node = "/home/me/fast.img";
    CHECK(device_key(image) == device_key(loop));
    CHECK(device_key(image) != device_key(other));
    CHECK(device_key(image).starts_with("image-fast.img-"));
    // Letters stay; characters that have a meaning for a shell, a path or a terminal are replaced.
    for (const auto& [name, kept] : {std::pair{"Prüflos März.img", "Prüflos_März.img"}, std::pair{"Флешка", "Флешка"},
                                     std::pair{"a\xC2\xA0"
                                               "b",
                                               "a_b"},
                                     std::pair{"’$(x)’", "___x__"},
                                     std::pair{"a\xE2\x80\x8B"
                                               "b\xE2\x80\xAE",
                                               "a_b_"},
                                     std::pair{"\xFF*", "__"}}) {
        image.node = std::string("/srv/media/") + name;
        CHECK(device_key(image).starts_with("image-" + std::string(kept) + "-"));
    }
    image.node = "/" + std::string(63, 'x') + "ü";
    CHECK(device_key(image).starts_with("image-" + std::string(63, 'x') + "-"));
}

TEST_CASE("names that are not file names get a hash and stay distinct") {
    std::set<std::string> keys;
    for (const char* serial : {"A/B", "A B", "A_B", "A\xC3\xA4", "../../etc"}) {
        Medium medium = plain_stick();
        medium.serial = serial;
        const std::string key = device_key(medium);
        CAPTURE(key);
        CHECK(key.find_first_of("/ ") == std::string::npos);
        CHECK(keys.insert(key).second);
    }
    Medium endless = plain_stick();
    endless.serial = std::string(500, '7');
    CHECK(device_key(endless).size() < 120);
}

TEST_CASE("the confirmation is the serial, the path if there is no serial, or the port for equal serials") {
    CHECK(confirmation_of(plain_stick()) == "4C530001230715117180");
    CHECK(port_confirmation_of(plain_stick()) == "usb port path 1-2.3");
    Medium second_slot = plain_stick();
    second_slot.lun = 1;
    CHECK(port_confirmation_of(second_slot) == "usb port path 1-2.3 lun 1");
    Medium loop;
    loop.node = "/dev/loop3";
    CHECK(confirmation_of(loop) == "/dev/loop3");
    loop.backing_file = "/srv/fast.img";
    CHECK(confirmation_of(loop) == "/srv/fast.img");
    CHECK(port_confirmation_of(loop).empty());
}

TEST_CASE("with equal serials the port confirms a medium and lifts only the refusal for the serial") {
    Medium stick = plain_stick();
    const Refusal mounted{RefusalKind::mounted, "sda1 is mounted on /media"};
    stick.refusals = {mounted};
    CHECK(confirmation_to_type(stick) == stick.serial);
    stick.refusals.push_back({RefusalKind::ambiguous, "/dev/sdb has the same serial"});
    CHECK(confirmation_to_type(stick) == "usb port path 1-2.3");
    CHECK(permanent_refusals(stick, "usb port path 1-2.3") == std::vector<Refusal>{mounted});
    for (const std::string& other : {std::string(), stick.serial, std::string("usb port path 1-2.4")})
        CHECK(permanent_refusals(stick, other) == stick.refusals);
    // A card in a slot that is not on USB has no USB port path to confirm it by.
    stick.usb.reset();
    CHECK(confirmation_to_type(stick) == stick.serial);
    CHECK(permanent_refusals(stick, "") == stick.refusals);
}

TEST_CASE("a medium survives a round trip") {
    for (const Medium& medium : {plain_stick(), plain_card(), Medium{.node = "/dev/null"}}) {
        const auto back = medium_from_json(nlohmann::json::parse(to_json(medium).dump()));
        REQUIRE(reason(back) == "success");
        CHECK(*back == medium);
    }
    CHECK(to_json(plain_stick())["refusals"][0]["kind"] == "mounted");
    CHECK(to_json(plain_stick())["size"] == 34359738368);
    CHECK_FALSE(to_json(plain_stick()).contains("nvme"));
}

TEST_CASE("all electronic data of a medium survives a round trip") {
    Medium medium = plain_stick();
    medium.usb->version = "3.20";
    medium.usb->interface_class = "08/06/50";
    medium.usb->rx_lanes = 2;
    medium.usb->offers_uas = true;
    medium.usb->capable_mbit = 10000;
    medium.scsi->inquiry = ScsiInquiry{.peripheral_type = 0, .removable = true, .version = 6};
    medium.scsi->pages = {0x00, 0x80};
    medium.scsi->designators = {{"unit", "naa", "naa.5001b44800123456"}};
    medium.scsi->limits = ScsiBlockLimits{.max_unmap = 32, .unmap_alignment = 0, .max_write_same = 1};
    medium.scsi->characteristics = ScsiCharacteristics{.rotation_rate = 1, .form_factor = 3};
    medium.scsi->provisioning = ScsiProvisioning{.unmap = true, .zeroes_after = 1, .type = 2};
    medium.queue = QueueLimits{.minimum_io = 4_KiB,
                               .optimal_io = {},
                               .discard_granularity = 4_KiB,
                               .discard_max = 4_MiB,
                               .max_transfer = 120_KiB,
                               .alignment_offset = {},
                               .write_cache = "write back"};
    medium.sd = SdIdentity{};
    medium.sd->rca = "0xaaaa";
    medium.sd->preferred_erase_size = 4_MiB;
    medium.smart = SmartReport{};
    medium.smart->state = SmartState::passed;
    medium.smart->temperature_c = -3.5;
    medium.smart->exit_meanings = {"the error log has entries"};
    const auto back = medium_from_json(nlohmann::json::parse(to_json(medium).dump()));
    REQUIRE(reason(back) == "success");
    CHECK(*back == medium);
    CHECK(to_json(medium)["smart"]["state"] == "passed");
    for (int i = 0; i <= static_cast<int>(SmartState::failed); ++i) {
        medium.smart->state = static_cast<SmartState>(i);
        CHECK(medium_from_json(to_json(medium))->smart->state == medium.smart->state);
    }
}

TEST_CASE("an invalid member is named, a missing member has its default, and an unknown member is ignored") {
    struct Row {
        const char* json;
        const char* says;
    };
    const Row rows[] = {
        {"[]", "medium: must be an object"},
        {"{}", "medium.node: missing"},
        {R"({"node": 7})", "medium.node: must be a string"},
        {R"({"node": "/dev/sdb", "size": -1})", "medium.size: must be a whole number from 0 to 2^64-1"},
        {R"({"node": "/dev/sdb", "size": 1.5})", "medium.size: must be a whole number from 0 to 2^64-1"},
        {R"({"node": "/dev/sdb", "logical_sector": 4294967296})",
         "medium.logical_sector: must be a whole number from 0 to 2^32-1"},
        {R"({"node": "/dev/sdb", "removable": 1})", "medium.removable: must be true or false"},
        {R"({"node": "/dev/sdb", "transport": "smoke"})",
         "medium.transport: \"smoke\" is not one of unknown, usb, mmc, nvme, sata, scsi, virtio, loop, image, zram, "
         "other, "
         "directory"},
        {R"({"node": "/dev/sdb", "usb": []})", "medium.usb: must be an object"},
        {R"({"node": "/dev/sdb", "usb": {"speed_mbit": "fast"}})", "medium.usb.speed_mbit: must be a number"},
        {R"({"node": "/dev/sdb", "partitions": {}})", "medium.partitions: must be a list"},
        {R"({"node": "/dev/sdb", "refusals": [{}, {"kind": "mood"}]})",
         "medium.refusals[1].kind: \"mood\" is not one of system_disk, mounted, swap, held, raid_member, encrypted, "
         "read_only, no_medium, not_removable, partition, ambiguous, in_use, too_small, unknown_state, "
         "interrupted_check"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.json);
        CHECK(reason(medium_from_json(nlohmann::json::parse(row.json))) == row.says);
    }
    const auto newer = medium_from_json(nlohmann::json::parse(R"({"node": "/dev/sdb", "colour": "red", "usb": null})"));
    REQUIRE(newer);
    CHECK(newer->logical_sector == 512);
    CHECK_FALSE(newer->usb);
}

TEST_CASE("an unknown refusal of a newer agent stays a refusal, and every kind has a unique name") {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(RefusalKind::unknown_state); ++i)
        names.insert(name_of(static_cast<RefusalKind>(i)));
    CHECK(names.size() == static_cast<std::size_t>(RefusalKind::unknown_state) + 1);
    for (int i = 0; i <= static_cast<int>(Transport::directory); ++i) names.insert(name_of(static_cast<Transport>(i)));
    CHECK(names.size() ==
          static_cast<std::size_t>(RefusalKind::unknown_state) + static_cast<std::size_t>(Transport::directory) + 2);
}

TEST_CASE("device text is made printable") {
    CHECK(typeable("  SanDisk \n") == "SanDisk");
    CHECK(typeable("AB\x1b[2J") == "AB?[2J");
    CHECK(typeable("card\u202Egnp.exe\u2069\u200F") == "card?gnp.exe??"); // changes the direction of the following text
    CHECK(typeable("K\xC3\xA4se") == "K\xC3\xA4se");
    CHECK(typeable("Latin \xE4 1") == "Latin ? 1");
    CHECK(typeable("cut \xE2\x82") == "cut ??");
    CHECK(typeable("overlong \xC0\xAF") == "overlong ??");
    CHECK(typeable("\xED\xA0\x80") == "???");
    CHECK(typeable("\xC2\x9B") == "?");
    CHECK(typeable("ab\0\0"s) == "ab");
    CHECK(typeable("") == "");
}

TEST_CASE("VPD page 0x80 gives the unit serial, and invalid data gives no serial") {
    CHECK(unit_serial_from_vpd("\x00\x80\x00\x08  WD-1234"s) == "WD-123");
    CHECK(unit_serial_from_vpd("\x00\x80\x00\x0a  WD-1234"s) == "WD-1234");
    CHECK(unit_serial_from_vpd("\x00\x83\x00\x04"s + "ABCD").empty());
    CHECK(unit_serial_from_vpd("\x00\x80\xff\xff"s + "AB\x01") == "AB?");
    CHECK(unit_serial_from_vpd("\x00\x80"s).empty());
    CHECK(unit_serial_from_vpd("").empty());
}

TEST_CASE("VPD page 0x83 gives the most specific name of the unit") {
    const std::string t10 = "\x02\x01\x00\x08"s + "ATA WD  ";
    const std::string naa5 = "\x01\x03\x00\x08\x50\x01\x4e\xe2\x0b\xad\xca\xfe"s;
    const std::string eui = "\x01\x02\x00\x08\x00\x25\x38\x5b\x71\xb0\x09\x2a"s;
    const std::string port = "\x01\x13\x00\x08\x51\x11\x11\x11\x11\x11\x11\x11"s; // name of the port, not of the unit
    const auto page = [](const std::string& list) { return "\x00\x83\x00"s + static_cast<char>(list.size()) + list; };
    CHECK(designator_from_vpd(page(t10 + naa5)) == "naa.50014ee20badcafe");
    CHECK(designator_from_vpd(page(naa5 + eui)) == "naa.50014ee20badcafe");
    CHECK(designator_from_vpd(page(t10 + eui)) == "eui.0025385b71b0092a");
    CHECK(designator_from_vpd(page(t10)) == "t10.ATA WD");
    CHECK(designator_from_vpd(page(port)).empty());
    CHECK(designator_from_vpd(page("\x01\x03\x00\x08"s + std::string(8, '\0'))).empty());
    CHECK(designator_from_vpd(page(t10).substr(0, 10)).empty());
    CHECK(designator_from_vpd("").empty());
}

TEST_CASE("a line of mountinfo with optional fields and escapes, without a source, is parsed") {
    const auto table = parse_mountinfo(
        "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 propagate_from:2 - ext3 /dev/my\\134disk rw,errors=continue\n"
        "27 1 0:30 / /plain rw - tmpfs  rw\n");
    REQUIRE(table);
    REQUIRE(table->size() == 2);
    CHECK((*table)[0] ==
          MountEntry{{98, 0}, "/mnt 2", "ext3", "/dev/my\\disk", "rw,errors=continue", 36, "/mnt1", "rw,noatime"});
    CHECK((*table)[1] == MountEntry{{0, 30}, "/plain", "tmpfs", "", "rw", 27, "/", "rw"});
}

TEST_CASE("an invalid mount table is an error that shows the line") {
    for (const char* line : {"nonsense", "1 2 3:4 / /mnt rw", "1 2 x:4 / /mnt rw - ext4 /dev/a rw",
                             "1 2 3 / /mnt rw - ext4 a rw", "1 2 3:4 / /mnt rw -"}) {
        CHECK(reason(parse_mountinfo(std::string("22 1 8:2 / / rw - ext4 /dev/sda2 rw\n") + line)) ==
              "not a line of mountinfo: '" + std::string(line) + "'");
    }
    CHECK(reason(parse_swaps("Filename Type\n/dev/sda1 teapot 1\n")) ==
          "not a line of /proc/swaps: '/dev/sda1 teapot 1'");
}

TEST_CASE("an entry of the swap table is a partition or a file") {
    const auto swaps = parse_swaps("Filename\tType\tSize\n/dev/dm-1 partition 5 0 -2\n/swap\\040file file 5 0 -3\n");
    REQUIRE(swaps);
    CHECK(*swaps == std::vector<SwapEntry>{{"/dev/dm-1", false}, {"/swap file", true}});
}

TEST_CASE("a path belongs to the mount with the longest mount point, and to the last mount if several are equal") {
    const std::vector<MountEntry> table{
        {{8, 1}, "/", "ext4", "a", ""}, {{8, 2}, "/run/live", "ext4", "b", ""}, {{8, 3}, "/run/live", "ext4", "c", ""}};
    CHECK(mount_of(table, "/run/live/medium/x")->source == "c");
    CHECK(mount_of(table, "/run/lively")->source == "a");
    CHECK(mount_of({}, "/x") == nullptr);
}

TEST_CASE("the layers of an overlay are parsed in the old and new notation") {
    CHECK(overlay_layers("rw,lowerdir=/a:/b\\040c,upperdir=/u,workdir=/w") ==
          std::vector<std::string>{"/a", "/b c", "/u"});
    CHECK(overlay_layers("ro,lowerdir+=/a,lowerdir+=/b,datadir+=/d") == std::vector<std::string>{"/a", "/b", "/d"});
    CHECK(overlay_layers("rw").empty());
}

TEST_CASE("a kernel event of a disk is parsed") {
    const auto message = [](const std::string& action, const std::string& type) {
        return action + "@/devices/x/block/sdb\0ACTION="s + action +
               "\0DEVPATH=/devices/x/block/sdb\0SUBSYSTEM=block\0MAJOR=8\0"s + "MINOR=16\0DEVNAME=sdb\0DEVTYPE="s +
               type + "\0SEQNUM=1\0"s;
    };
    const auto event = parse_uevent(message("add", "disk"));
    REQUIRE(event);
    CHECK(event->kind == HotplugKind::added);
    CHECK(event->node == "/dev/sdb");
    CHECK(event->number == DeviceNumber{8, 16});
    CHECK(event->sysfs_path == "/sys/devices/x/block/sdb");
    CHECK(parse_uevent(message("remove", "disk"))->kind == HotplugKind::removed);
    CHECK(parse_uevent(message("change", "disk"))->kind == HotplugKind::changed);
    CHECK_FALSE(parse_uevent(message("add", "partition")));
    CHECK_FALSE(parse_uevent("add@/devices/x\0ACTION=add\0SUBSYSTEM=usb\0"s));
    CHECK_FALSE(parse_uevent("libudev\0\xfe\xed\xca\xfe"s));
    CHECK_FALSE(parse_uevent(""));
}

TEST_CASE("the type of a signature determines whether and why erasing is refused") {
    const auto kind = [](const std::string& type, const std::string& usage, std::uint64_t devices = 1) {
        const auto refusal = refusal_for({type, usage, "", {}, devices}, "sdb1");
        return refusal ? name_of(refusal->kind) : "none";
    };
    for (const char* type : {"LVM2_member", "linux_raid_member", "zfs_member", "isw_raid_member", "bcache", "drbd"})
        CHECK(kind(type, "") == "raid_member");
    for (const char* type : {"crypto_LUKS", "BitLocker"}) CHECK(kind(type, "") == "encrypted");
    CHECK(kind("something new", "raid") == "raid_member");
    CHECK(kind("something new", "crypto") == "encrypted");
    CHECK(kind("btrfs", "filesystem", 2) == "raid_member");
    for (const char* type : {"btrfs", "exfat", "vfat", "ext4", "swap", "apfs", "hfsplus", "iso9660"})
        CHECK(kind(type, "filesystem") == "none");
    CHECK(refusal_for({"LVM2_member", "raid", "", {}, 1}, "partition sdb1")->detail ==
          "partition sdb1 carries the signature LVM2_member; if it is stale, clear it with 'wipefs -a'");
}

TEST_CASE("an erasure is confirmed by at least the last four characters of the serial") {
    CHECK(bytes_to_type("B2345678") == 4);
    CHECK(confirms("5678", "B2345678"));
    CHECK(confirms("B2345678", "B2345678"));
    for (const char* typed : {"", "8", "678", "2345", "B234", "5678 ", "XB2345678"}) {
        CAPTURE(typed);
        CHECK(!confirms(typed, "B2345678"));
    }
    CHECK(bytes_to_type("C1") == 2);
    CHECK(confirms("C1", "C1"));
    CHECK(!confirms("1", "C1"));
    CHECK(!confirms("", ""));
    CHECK(!confirms("any", ""));
}

TEST_CASE("four characters of a serial are counted as characters, not as bytes") {
    CHECK(bytes_to_type("Prüflos-üäöß") == 8);
    CHECK(confirms("üäöß", "Prüflos-üäöß"));
    CHECK(!confirms("äöß", "Prüflos-üäöß"));
}

TEST_CASE("an erasure is confirmed by the last component of a path, because the ends of paths are often the same") {
    CHECK(bytes_to_type("/dev/sdb") == 3);
    CHECK(confirms("sdb", "/dev/sdb"));
    CHECK(confirms("/dev/sdb", "/dev/sdb"));
    CHECK(!confirms("b", "/dev/sdb"));
    CHECK(!confirms(".img", "/srv/card.img"));
    CHECK(confirms("card.img", "/srv/card.img"));
    CHECK(!confirms("", "/srv/"));
}
