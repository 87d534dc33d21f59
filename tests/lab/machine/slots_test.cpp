// SPDX-License-Identifier: GPL-3.0-or-later
// QEMU commands for slots and media, and recognition of the guest's devices. No process is started.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/lab/machine/command_line.hpp"
#include "host/lab/machine/plug_script.hpp"
#include "host/lab/machine/slot_layout.hpp"
#include "tests/catch.hpp"

namespace mediarig::lab {
namespace {

std::vector<LabSlot> one_of_each() {
    return {{SlotId{1}, SlotKind::usb},    {SlotId{2}, SlotKind::hub},    {SlotId{3}, SlotKind::uas},
            {SlotId{4}, SlotKind::reader}, {SlotId{5}, SlotKind::reader}, {SlotId{6}, SlotKind::sd},
            {SlotId{7}, SlotKind::sd},     {SlotId{8}, SlotKind::nvme},   {SlotId{9}, SlotKind::nvme}};
}

std::string said(const std::vector<QmpCommand>& commands) {
    std::string text;
    for (const QmpCommand& command : commands) text += command.execute + " " + command.arguments.dump() + "\n";
    return text;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + " ";
    return text;
}

media::Medium usb_device(const std::string& port, std::optional<std::uint64_t> lun) {
    media::Medium device;
    device.transport = media::Transport::usb;
    device.usb.emplace();
    device.usb->port_path = port;
    device.lun = lun;
    return device;
}

} // namespace

TEST_CASE("slots: each slot has its own address, reader slots share a port, and the hub has the last port") {
    const auto layout = lay_out(one_of_each());
    REQUIRE(reason(layout) == "success");
    std::string places;
    for (const PlacedSlot& slot : layout->slots)
        places += std::to_string(slot.slot.id.number) + "=" + slot.usb_port + "/" + std::to_string(slot.lun) + "/" +
                  std::to_string(slot.pci) + " ";
    CHECK(places == "1=1/0/0 2=15.1/0/0 3=2/0/0 4=3/0/0 5=3/1/0 6=/0/16 7=/0/17 8=/0/24 9=/0/25 ");
    CHECK(layout->reader_port == "3");
    CHECK(layout->hub_port == "15");
    CHECK(layout->find(SlotId{10}) == nullptr);
    const auto none = lay_out({});
    REQUIRE(reason(none) == "success");
    CHECK(none->hub_port.empty());
}

TEST_CASE("slots: a request for more slots than the machine has is refused") {
    const auto many = [](std::uint8_t count, SlotKind kind) {
        std::vector<LabSlot> slots;
        for (std::uint8_t i = 1; i <= count; ++i) slots.push_back({SlotId{i}, kind});
        return lay_out(slots);
    };
    CHECK(reason(many(14, SlotKind::usb)) == "success");
    CHECK_THAT(reason(many(15, SlotKind::usb)),
               ContainsSubstring("too many usb slots: the virtual machine has 14") &&
                   ContainsSubstring("space for 14 usb and uas together (a reader takes "
                                     "one), 8 hub, 8 reader, 8 sd and 4 nvme"));
    CHECK(reason(many(8, SlotKind::hub)) == "success");
    CHECK_THAT(reason(many(9, SlotKind::hub)), ContainsSubstring("8 ports on its hub"));
    CHECK_THAT(reason(many(9, SlotKind::reader)), ContainsSubstring("8 in its card reader"));
    CHECK_THAT(reason(many(9, SlotKind::sd)), ContainsSubstring("space for 8 SD controllers"));
    CHECK(reason(many(4, SlotKind::nvme)) == "success");
    CHECK_THAT(reason(many(5, SlotKind::nvme)), ContainsSubstring("4 external PCIe ports"));
    CHECK(reason(lay_out({{SlotId{0}, SlotKind::sd}})) == "slots are numbered from 1");
    CHECK(reason(lay_out({{SlotId{3}, SlotKind::sd}, {SlotId{3}, SlotKind::usb}})) == "slot 3 is declared twice");
}

TEST_CASE("slots: guest devices are identified by port, logical unit, SD controller and PCIe port") {
    const auto layout = lay_out(one_of_each());
    REQUIRE(reason(layout) == "success");
    const auto slot_of = [&](const media::Medium& device) {
        std::string found;
        for (const PlacedSlot& slot : layout->slots)
            if (is_at(slot, device)) found += std::to_string(slot.slot.id.number);
        return found;
    };
    const std::string bridge = "/sys/devices/pci0000:00/";
    CHECK(slot_of(usb_device("2-1", 0)) == "1");
    CHECK(slot_of(usb_device("1-15.1", 0)) == "2");
    CHECK(slot_of(usb_device("2-2", 0)) == "3");
    CHECK(slot_of(usb_device("2-3", 0)) == "4");
    CHECK(slot_of(usb_device("2-3", 1)) == "5");
    // A foreign stick on a port with a similar prefix, and devices without a port.
    CHECK(slot_of(usb_device("2-11", 0)).empty());
    CHECK(slot_of(usb_device("1-15.10", 0)).empty());
    CHECK(slot_of(usb_device("", {})).empty());
    CHECK(slot_of(usb_device("2-3", {})).empty());
    CHECK(slot_of(media::Medium{}).empty());

    media::Medium card;
    card.transport = media::Transport::mmc;
    card.uplinks = {bridge + "0000:00:11.0"};
    CHECK(slot_of(card) == "7");
    card.transport = media::Transport::scsi;
    CHECK(slot_of(card).empty());

    media::Medium disk;
    disk.transport = media::Transport::nvme;
    disk.uplinks = {bridge + "0000:00:19.0/0000:02:00.0"};
    CHECK(slot_of(disk) == "9");
    // A disk of the host itself.
    disk.uplinks = {bridge + "0000:00:04.0"};
    CHECK(slot_of(disk).empty());
}

TEST_CASE("command line: the machine is private, unprivileged and has exactly the devices of the slots") {
    const auto layout = lay_out(one_of_each());
    REQUIRE(reason(layout) == "success");
    const MachineSpec spec{.image = {"/i/vmlinux", "/i/initrd.img"}, .slots = one_of_each(), .memory = 384_MiB};
    const MachineFiles files{"/run/d"};
    const std::string words = joined(command_line(spec, *layout, files, Accelerator::tcg));
    for (const char* part :
         {"-accel tcg,thread=multi -cpu max -smp 2 -m 384 ", "-nodefaults -no-user-config ", "-no-reboot ",
          "-sandbox on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny ", "-kernel /i/vmlinux ",
          "-initrd /i/initrd.img ", "panic=-1", "-qmp unix:/run/d/qmp,server=on,wait=off ",
          "path=/run/d/agent,server=on,wait=off ", "name=lab.ctl,", "name=lab.ctl2,",
          "usb-hub,id=hub,bus=xhci.0,port=15,ports=8 ", "usb-bot,id=reader,bus=xhci.0,port=3 ",
          "scsi-hd,bus=reader.0,lun=1,drive=slot5.drive,id=slot5.device,removable=on",
          "sdhci-pci,id=slot7.host,addr=0x11 ", "sd-card,id=slot7.device,drive=slot7.drive ",
          "throttle-group,id=slot1.limits ", "pcie-root-port,id=slot9.port,bus=pcie.0,addr=0x19,chassis=9,slot=0 ",
          "-acpitable file=/run/d/external_ports.aml "})
        CHECK_THAT(words, ContainsSubstring(part));

    const auto bare = lay_out({{SlotId{1}, SlotKind::usb}});
    REQUIRE(reason(bare) == "success");
    const std::string few = joined(command_line(spec, *bare, files, Accelerator::kvm));
    CHECK_THAT(few, ContainsSubstring("-accel kvm -cpu host "));
    for (const char* absent : {"usb-hub", "usb-bot", "sdhci", "pcie-root-port", "acpitable", "tcg"})
        CHECK(few.find(absent) == std::string::npos);
    // The probe needs no root file system and touches no socket.
    const std::string probe = joined(probe_command_line(spec, files, Accelerator::kvm));
    CHECK(probe.find("initrd") == std::string::npos);
    CHECK(probe.find("socket") == std::string::npos);
}

TEST_CASE("command line: a comma in a path does not become an option") {
    const auto layout = lay_out({});
    REQUIRE(reason(layout) == "success");
    const std::string words =
        joined(command_line({.image = {"k", "i"}}, *layout, MachineFiles{"/a,b"}, Accelerator::tcg));
    CHECK_THAT(words, ContainsSubstring("path=/a,,b/console.log"));
    CHECK(words.find("/a,b/") == std::string::npos);
    CHECK(option_value("a,,b") == "a,,,,b");
}

TEST_CASE("plug script: each kind has its QEMU commands") {
    const auto layout = lay_out(one_of_each());
    REQUIRE(reason(layout) == "success");
    const auto slot = [&](std::uint8_t number) { return *layout->find(SlotId{number}); };
    const LabMedium card{MediumSource::nbd("/d/c.sock"), "S1"};

    CHECK(
        said(add_nodes(slot(1), card)) ==
        R"(blockdev-add {"driver":"nbd","export":"","node-name":"slot1.card","read-only":false,"server":{"path":"/d/c.sock","type":"unix"}})"
        "\n"
        R"(blockdev-add {"driver":"throttle","file":"slot1.card","node-name":"slot1.throttle","read-only":false,"throttle-group":"slot1.limits"})"
        "\n");
    CHECK_THAT(said(add_nodes(slot(6), {MediumSource::file("/d/i.raw"), {}})),
               ContainsSubstring(R"("file":{"aio":"threads","driver":"file","filename":"/d/i.raw"})"));
    CHECK(
        said(show(slot(2), card)) ==
        R"(device_add {"bus":"xhci.0","drive":"slot2.throttle","driver":"usb-storage","id":"slot2.device","port":"15.1","removable":true,"rerror":"report","serial":"S1","werror":"report"})"
        "\n");
    const std::string enclosure = said(show(slot(3), card));
    CHECK(enclosure.find("usb-uas") < enclosure.find("scsi-hd"));
    CHECK(enclosure.find("scsi-hd") < enclosure.find("attached"));
    CHECK(said(show(slot(5), card)) == R"(blockdev-open-tray {"force":true,"id":"slot5.device"})"
                                       "\n"
                                       R"(blockdev-insert-medium {"id":"slot5.device","node-name":"slot5.throttle"})"
                                       "\n"
                                       R"(blockdev-close-tray {"id":"slot5.device"})"
                                       "\n");
    CHECK(said(show(slot(6), card)) ==
          "blockdev-insert-medium {\"id\":\"slot6.device\",\"node-name\":\"slot6.throttle\"}\n");

    CHECK(said(surprise_removal(slot(3))) == "device_del {\"id\":\"slot3.device\"}\n");
    CHECK(deleted_device(slot(3)) == "slot3.device");
    CHECK(said(surprise_removal(slot(6))) == "blockdev-remove-medium {\"id\":\"slot6.device\"}\n");
    CHECK(deleted_device(slot(6)).empty());
    CHECK_THAT(said(surprise_removal(slot(4))), ContainsSubstring("blockdev-remove-medium"));
    CHECK(
        said(show(slot(8), card)) ==
        R"(device_add {"bus":"slot8.port","drive":"slot8.throttle","driver":"nvme","id":"slot8.device","serial":"S1"})"
        "\n");
    CHECK(said(surprise_removal(slot(8))) == "device_del {\"id\":\"slot8.device\"}\n");
    CHECK(deleted_device(slot(8)) == "slot8.device");
    // QEMU requires a serial for the disk. The warning is set after the disk was added.
    CHECK(
        said(show(slot(9), {.source = MediumSource::file("/d/i.raw"), .serial = {}, .smart_critical_warning = 4})) ==
        R"(device_add {"bus":"slot9.port","drive":"slot9.throttle","driver":"nvme","id":"slot9.device","serial":"SLOT9"})"
        "\n"
        R"(qom-set {"path":"/machine/peripheral/slot9.device","property":"smart_critical_warning","value":4})"
        "\n");
    // A driver asked before the removal could save the data that a power cut loses.
    CHECK(leaves_with_consent(slot(8)));
    for (const std::uint8_t number : std::initializer_list<std::uint8_t>{1, 2, 3, 4, 6})
        CHECK(!leaves_with_consent(slot(number)));
    CHECK(said({sever(slot(1))}) == "yank {\"instances\":[{\"node-name\":\"slot1.card\",\"type\":\"block-node\"}]}\n");
}

TEST_CASE("plug script: faults and limits are set on a running device") {
    const auto layout = lay_out(one_of_each());
    REQUIRE(reason(layout) == "success");
    const PlacedSlot slot = *layout->find(SlotId{1});
    using Operation = InjectedError::Operation;
    CHECK(
        said({add_errors(slot, {{Operation::read, Lba{9}}, {Operation::write, {}}, {Operation::flush, {}}}, 4)}) ==
        R"(blockdev-add {"driver":"blkdebug","image":"slot1.card","inject-error":[{"errno":5,"event":"none","iotype":"read","sector":9},{"errno":5,"event":"none","iotype":"write"},{"errno":5,"event":"none","iotype":"flush"}],"node-name":"slot1.errors4"})"
        "\n");
    CHECK_THAT(said({put_throttle_above(slot, "slot1.errors4", true)}),
               ContainsSubstring(R"("file":"slot1.errors4","node-name":"slot1.throttle","read-only":true)"));
    // All four are sent, since otherwise an earlier limit would stay.
    CHECK(
        said({set_limits(slot, {.write_bytes_per_second = 4'000'000})}) ==
        R"(qom-set {"path":"/objects/slot1.limits","property":"limits","value":{"bps-read":0,"bps-write":4000000,"iops-read":0,"iops-write":0}})"
        "\n");
}

TEST_CASE("plug script: a medium that does not fit its slot is refused with a remedy") {
    const auto layout = lay_out(one_of_each());
    REQUIRE(reason(layout) == "success");
    const auto fits = [&](std::uint8_t number, const LabMedium& medium, Bytes size) {
        return reason(check_fits(*layout->find(SlotId{number}), medium, size));
    };
    const LabMedium plain{MediumSource::file("/d/i.raw"), {}};
    const LabMedium named{MediumSource::file("/d/i.raw"), "S1"};
    const LabMedium protect{MediumSource::file("/d/i.raw"), {}, true};
    CHECK(fits(6, plain, 64_MiB) == "success");
    CHECK(fits(6, plain, 48_MiB) ==
          "slot 6 (sd): /d/i.raw has 50331648 bytes, and the virtual SD card takes only powers of two");
    CHECK(fits(6, plain, 0_B) == "slot 6 (sd): /d/i.raw has 0 bytes, and the virtual SD card takes only powers of two");
    CHECK_THAT(fits(6, named, 64_MiB), ContainsSubstring("cannot report its own serial"));
    CHECK_THAT(fits(4, named, 48_MiB), ContainsSubstring("use a usb or uas slot"));
    CHECK_THAT(fits(5, protect, 48_MiB), ContainsSubstring("no write-protect switch"));
    CHECK(fits(1, protect, 48_MiB) == "success");
    CHECK(fits(3, named, 48_MiB) == "success");
    CHECK_THAT(fits(1, {MediumSource::file("/d/i.raw"), std::string(37, 'x')}, 1_MiB),
               ContainsSubstring("longer than 36 characters"));
    CHECK(fits(8, named, 48_MiB) == "success");
    CHECK_THAT(fits(8, protect, 48_MiB), ContainsSubstring("does not report write protection"));
    CHECK_THAT(fits(8, {MediumSource::file("/d/i.raw"), std::string(21, 'x')}, 1_MiB),
               ContainsSubstring("longer than 20 characters"));
    LabMedium warning = plain;
    warning.smart_critical_warning = 0x1F;
    CHECK(fits(8, warning, 48_MiB) == "success");
    CHECK(fits(3, warning, 48_MiB) == "slot 3 (uas): its medium has no SMART warnings; use an nvme slot");
    warning.smart_critical_warning = 0x20;
    CHECK(fits(8, warning, 48_MiB) == "slot 8 (nvme): 32 is not a critical warning of SMART, which has 5 bits");
}

} // namespace mediarig::lab
