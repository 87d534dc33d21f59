// SPDX-License-Identifier: GPL-3.0-or-later
// The real machine with a real kernel. One boot serves many checks.
#include <signal.h>

#include <array>
#include <fstream>
#include <iostream>

#include "host/base/process/run_process.hpp"
#include "host/lab/machine/private_directory.hpp"
#include "tests/catch.hpp"
#include "tests/lab/machine/booted.hpp"
#include "tests/sample.hpp"

namespace mediarig::lab {
namespace {

constexpr const char* no_image = "no guest image in the cache: 'mediarig lab build' makes one";

bool has_qemu() {
    return process::find_program("qemu-system-x86_64").has_value() && process::find_program("nbdkit").has_value();
}

/// Reason why this machine cannot boot a guest, else empty.
std::string missing() {
    if (!has_qemu()) return "qemu-system-x86_64 or nbdkit is not installed";
    return cached_image() ? "" : no_image;
}

MachineSpec with_slots(std::vector<LabSlot> slots) {
    return {.image = *cached_image(), .slots = std::move(slots)};
}

/// "ok" if the command succeeds, else "bad" with the sectors that the guest's kernel reports. The kernel reports at
/// most ten errors in five seconds, so a command without a report is repeated.
std::string tried(Booted& booted, const std::string& command, const std::string& message = "I/O error") {
    return booted.shell("for try in 1 2 3 4 5 6 7 8 9 10; do dmesg -c > /dev/null; " + command +
                        " 2> /dev/null && { echo ok; break; }; dmesg | grep -o '" + message +
                        ", dev .*sector [0-9]* ' | sed 's/.*sector/bad/' | sort -u > /tmp/tried; "
                        "[ -s /tmp/tried ] && { cat /tmp/tried; break; }; sleep 1; done");
}

/// "ok" if a page of 4 KiB can be read without the guest's cache.
std::string read_page(Booted& booted, const std::string& node, std::uint64_t sector,
                      const std::string& message = "I/O error") {
    booted.shell("echo 3 > /proc/sys/vm/drop_caches");
    return tried(booted, "dd if=" + node + " of=/dev/null bs=4096 skip=" + std::to_string(sector / 8) + " count=1",
                 message);
}
std::string write_page(Booted& booted, const std::string& node, std::uint64_t sector) {
    return tried(booted,
                 "dd if=/dev/zero of=" + node + " bs=4096 conv=fsync seek=" + std::to_string(sector / 8) + " count=1");
}

void tell(const std::string& what, std::chrono::milliseconds took) {
    std::cout << "  " << what << ": " << took.count() << " ms\n";
}

} // namespace

TEST_CASE("real machine: media of every kind are plugged, unplugged, slowed and damaged, and the guest crashes") {
    MEDIARIG_LAB_PART(0);
    if (const auto why = missing(); !why.empty()) MEDIARIG_SKIP(why);
    tests::Scratch scratch;
    Booted booted(with_slots({{SlotId{1}, SlotKind::usb},
                              {SlotId{2}, SlotKind::hub},
                              {SlotId{3}, SlotKind::uas},
                              {SlotId{4}, SlotKind::reader},
                              {SlotId{5}, SlotKind::reader},
                              {SlotId{6}, SlotKind::sd},
                              {SlotId{7}, SlotKind::sd},
                              {SlotId{8}, SlotKind::usb},
                              {SlotId{9}, SlotKind::nvme},
                              {SlotId{10}, SlotKind::nvme}}));
    REQUIRE(reason(booted.report) == "success");
    tell("boot with " + std::string(name_of(booted.report->accelerator)), booted.report->boot);
    CHECK(!booted.report->version.empty());
    CHECK(lives(static_cast<pid_t>(booted.report->process)));
    auto agent = booted.controller();
    CHECK(agent->description() == "lab");
    VirtualMachine& machine = *booted.machine;

    const NbdServer first(scratch.path(), "first", {"memory", "64M"});
    const NbdServer second(scratch.path(), "second", {"memory", "96M"});
    // Plugs each kind once. A second medium of a kind is distinguished by its slot.
    struct Row {
        std::uint8_t slot;
        std::uint8_t other;
        LabMedium medium;
        const char* node;
    };
    const Row rows[] = {
        {1, 8, first.medium("LAB0001"), "/dev/sd"},
        {2, 1, first.medium("HUB0001"), "/dev/sd"},
        {3, 1, first.medium("UAS0001"), "/dev/sd"},
        {5, 4, first.medium(), "/dev/sd"},
        {4, 5, second.medium(), "/dev/sd"},
        {6, 7, {MediumSource::file(scratch.image("sd.img", 64_MiB)), {}}, "/dev/mmcblk"},
        {7, 6, {MediumSource::file(scratch.image("sd7.img", 128_MiB)), {}}, "/dev/mmcblk"},
        {9, 10, first.medium("NVM0001"), "/dev/nvme"},
        {10, 9, second.medium(), "/dev/nvme"},
    };
    for (const Row& row : rows) {
        CAPTURE(static_cast<int>(row.slot));
        const std::string node = booted.plug(*agent, row.slot, row.medium);
        tell("slot " + std::to_string(row.slot) + " in", booted.took);
        CHECK_THAT(node, ContainsSubstring(row.node));
        const auto devices = booted.ask(agent->devices());
        REQUIRE(reason(devices) == "success");
        int here = 0;
        for (const media::Medium& device : *devices) {
            here += machine.matches(SlotId{row.slot}, device) ? 1 : 0;
            CHECK(!machine.matches(SlotId{row.other}, device));
        }
        CHECK(here == 1);
        CHECK(booted.unplug(*agent, row.slot) == "gone");
        tell("slot " + std::to_string(row.slot) + " out", booted.took);
    }

    // Plugs two media of one kind at the same time, and the second time with another size.
    CHECK_THAT(booted.plug(*agent, 4, first.medium()), ContainsSubstring("/dev/sd"));
    CHECK_THAT(booted.plug(*agent, 5, second.medium()), ContainsSubstring("/dev/sd"));
    CHECK(booted.unplug(*agent, 4) == "gone");
    CHECK(booted.unplug(*agent, 5) == "gone");

    // Identity of a disk in an enclosure. Its external port makes it removable.
    {
        LabMedium ailing = first.medium("NVM0002");
        ailing.smart_critical_warning = 4;
        const std::string disk = booted.plug(*agent, 9, ailing);
        REQUIRE_THAT(disk, ContainsSubstring("/dev/nvme"));
        const auto identity = booted.ask(agent->identify(disk));
        REQUIRE(reason(identity) == "success");
        CHECK(identity->transport == media::Transport::nvme);
        CHECK(identity->refusals.empty());
        REQUIRE(identity->nvme.has_value());
        CHECK(identity->nvme->serial == "NVM0002");
        CHECK(!identity->nvme->firmware.empty());
        CHECK_THAT(identity->nvme->pcie_link, ContainsSubstring("GT/s PCIe x"));
        const auto health = booted.ask(agent->smart(disk));
        REQUIRE(reason(health) == "success");
        CHECK(health->state == media::SmartState::failing);
        CHECK(health->critical_warning == 4);
        CHECK(booted.unplug(*agent, 9) == "gone");
    }

    // A busy slot, a medium that does not fit and an empty slot are refused with a clear line, and the slot works
    // afterwards.
    const auto refused = [&](std::uint8_t slot, const LabMedium& medium) {
        return reason(booted.ask(machine.plug(SlotId{slot}, medium)));
    };
    CHECK_THAT(refused(6, {MediumSource::file(scratch.image("odd.img", 48_MiB)), {}}),
               ContainsSubstring("takes only powers of two"));
    CHECK_THAT(refused(6, second.medium()),
               ContainsSubstring("has 100663296 bytes, and the virtual SD card takes only powers of two"));
    CHECK_THAT(refused(1, {MediumSource::file(scratch.path("nowhere.img")), {}}), ContainsSubstring("no image file"));
    CHECK_THAT(refused(1, {MediumSource::nbd(scratch.path("nowhere.nbd")), {}}),
               ContainsSubstring("No such file or directory"));
    CHECK(refused(11, first.medium()) == "the virtual machine has no slot 11");
    CHECK_THAT(reason(booted.ask(machine.unplug(SlotId{1}))), ContainsSubstring("slot 1 (usb) is empty"));
    const std::string shared = scratch.image("shared.img", 64_MiB);
    CHECK_THAT(booted.plug(*agent, 1, {MediumSource::file(shared), "SHARED"}), ContainsSubstring("/dev/sd"));
    CHECK_THAT(refused(8, {MediumSource::file(shared), {}}), ContainsSubstring("the image is in use by another slot"));
    CHECK_THAT(refused(1, first.medium()), ContainsSubstring("already has a medium"));
    CHECK(booted.unplug(*agent, 1) == "gone");

    // Errors are at exactly their sectors, and only while they are injected.
    const std::string node = booted.plug(*agent, 3, first.medium("UAS0002"));
    REQUIRE_THAT(node, ContainsSubstring("/dev/sd"));
    using Operation = InjectedError::Operation;
    std::vector<InjectedError> errors{{Operation::read, Lba{4096}}, {Operation::write, Lba{8192}}};
    CHECK(reason(booted.ask(machine.inject_errors(SlotId{3}, errors))) == "success");
    CHECK(read_page(booted, node, 4088) == "ok\n");
    CHECK(read_page(booted, node, 4096) == "bad 4096 \n");
    CHECK(read_page(booted, node, 4104) == "ok\n");
    CHECK(write_page(booted, node, 4096) == "ok\n");
    CHECK(write_page(booted, node, 8192) == "bad 8192 \n");
    CHECK(write_page(booted, node, 8200) == "ok\n");
    CHECK(reason(booted.ask(machine.inject_errors(SlotId{3}, {{Operation::read, Lba{104}}}))) == "success");
    CHECK(read_page(booted, node, 4096) == "ok\n");
    CHECK(read_page(booted, node, 104) == "bad 104 \n");
    CHECK(reason(booted.ask(machine.clear_errors(SlotId{3}))) == "success");
    CHECK(read_page(booted, node, 104) == "ok\n");
    CHECK(reason(booted.ask(machine.inject_errors(SlotId{3}, errors))) == "success");
    CHECK_THAT(reason(booted.ask(machine.inject_errors(SlotId{6}, errors))),
               ContainsSubstring("the virtual SD card reports success despite them"));

    // Errors of an NVMe disk arrive as medium errors.
    const std::string disk = booted.plug(*agent, 10, second.medium("NVM0003"));
    REQUIRE_THAT(disk, ContainsSubstring("/dev/nvme"));
    CHECK(reason(booted.ask(machine.inject_errors(SlotId{10}, {{Operation::read, Lba{4096}}}))) == "success");
    CHECK(read_page(booted, disk, 4096, "critical medium error") == "bad 4096 \n");
    CHECK(booted.unplug(*agent, 10) == "gone");

    // The throttle works: 2 MB at 1 MB/s take at least a second. QEMU passes a tenth of it at once.
    CHECK(reason(booted.ask(machine.throttle(SlotId{3}, {.read_bytes_per_second = 1'000'000}))) == "success");
    const auto before = std::chrono::steady_clock::now();
    CHECK(booted.shell("dd if=" + node + " of=/dev/null bs=64k count=46 skip=64 iflag=direct 2>/dev/null; echo $?") ==
          "0\n");
    CHECK(std::chrono::steady_clock::now() - before > std::chrono::seconds(2));
    CHECK(reason(booted.ask(machine.throttle(SlotId{3}, {}))) == "success");

    CHECK(booted.unplug(*agent, 3) == "gone");

    // A power cut loses the data in the card's cache. An unplug lets QEMU flush the cache. An NVMe disk loses the same
    // data, although its driver is asked before the removal.
    for (const auto& [number, cut] : {std::pair{1, false}, {1, true}, {9, false}, {9, true}}) {
        const SlotId slot{static_cast<std::uint8_t>(number)};
        CAPTURE(number, cut);
        const std::string name = std::to_string(number) + (cut ? "cut" : "kept");
        const std::string backing = scratch.image(name + ".img", 64_MiB);
        NbdServer caching(scratch.path(), name, {"--filter=cache", "file", backing, "cache=writeback"});
        const std::string written = booted.plug(*agent, slot.number, caching.medium(name));
        REQUIRE_THAT(written, ContainsSubstring(number == 1 ? "/dev/sd" : "/dev/nvme"));
        CHECK(booted.shell("yes lost | dd of=" + written + " bs=4096 count=16 oflag=direct 2>/dev/null; echo $?") ==
              "0\n");
        CHECK(reason(booted.ask(cut ? machine.cut_power(slot) : machine.unplug(slot))) == "success");
        CHECK(reason(booted.ask(machine.wait_until_gone(slot, *agent))) == "success");
        caching.kill();
        std::ifstream file(backing, std::ios::binary);
        std::string head(4, ' ');
        file.read(head.data(), 4);
        CHECK(head == (cut ? std::string(4, '\0') : "lost"));
    }

    // If the server dies, the guest gets errors and the machine continues.
    {
        NbdServer mortal(scratch.path(), "mortal", {"memory", "64M"});
        const std::string lost = booted.plug(*agent, 8, mortal.medium("MORTAL"));
        REQUIRE_THAT(lost, ContainsSubstring("/dev/sd"));
        mortal.kill();
        CHECK_THAT(read_page(booted, lost, 8000), ContainsSubstring("bad 8000"));
        CHECK(booted.unplug(*agent, 8) == "gone");
        CHECK(!machine.failure());
    }

    CHECK_THAT(booted.plug(*agent, 3, first.medium("UAS0003")), ContainsSubstring("/dev/sd"));
    // A controller that disconnects in any way leaves nothing to the next one.
    const auto claimed_by = [&](agent::AgentClient& client) {
        const auto devices = booted.ask(client.devices());
        for (const media::Medium& device : *devices)
            if (machine.matches(SlotId{3}, device))
                return reason(booted.ask(client.claim({device.node, media::confirmation_of(device)})));
        return std::string("not listed");
    };
    CHECK(claimed_by(*agent) == "success");
    CHECK(reason(booted.ask(agent->close())) == "success");
    for (int visit = 0; visit < 3; ++visit) {
        auto next = booted.controller();
        CHECK(claimed_by(*next) == "success");
        // The controller is destroyed without close(), as when its process is killed.
    }
    agent = booted.controller();
    CHECK(claimed_by(*agent) == "success");
    // A crash of the guest is noticed at once and reported as a fault of the infrastructure.
    const auto waiting = booted.talk.begin(agent->devices());
    const auto crash = booted.ask(machine.diagnose("echo c > /proc/sysrq-trigger", std::chrono::minutes(1)));
    REQUIRE(!crash.has_value());
    CHECK(crash.error().code == Errc::rig_fault);
    CHECK_THAT(crash.error().detail, ContainsSubstring("the guest's kernel crashed"));
    (void)booted.talk.finish(waiting);
    const auto after = booted.ask(agent->devices());
    REQUIRE(!after.has_value());
    CHECK(exit_status(after.error().code) == 3);
    CHECK_THAT(after.error().detail, ContainsSubstring("Kernel panic"));
    REQUIRE(machine.failure().has_value());
    CHECK_THAT(reason(booted.ask(machine.plug(SlotId{8}, first.medium()))), ContainsSubstring("Kernel panic"));

    const auto process = static_cast<pid_t>(booted.report->process);
    CHECK(reason(booted.ask(machine.stop())) == "success");
    CHECK(!lives(process));
    CHECK(reason(booted.ask(machine.stop())) == "success");
    const auto after_stop = machine.agent_link();
    CHECK_THAT(reason(booted.ask(after_stop->start())), ContainsSubstring("Kernel panic"));
}

TEST_CASE("real machine: a stalled guest is reported as hung, without a fault of a medium") {
    MEDIARIG_LAB_PART(2);
    if (const auto why = missing(); !why.empty()) MEDIARIG_SKIP(why);
    MachineSpec spec = with_slots({{SlotId{1}, SlotKind::usb}});
    spec.patience.silence = std::chrono::seconds(12);
    spec.patience.command = std::chrono::seconds(5);
    Booted booted(spec);
    REQUIRE(reason(booted.report) == "success");
    auto agent = booted.controller();
    const auto process = static_cast<pid_t>(booted.report->process);
    REQUIRE(::kill(process, SIGSTOP) == 0);
    const auto lost = booted.ask(agent->devices());
    REQUIRE(!lost.has_value());
    CHECK(lost.error().code == Errc::rig_fault);
    CHECK_THAT(lost.error().detail, ContainsSubstring("the lab's virtual machine was stopped"));
    CHECK(reason(booted.ask(booted.machine->stop())) == "success");
    CHECK(!lives(process));
}

TEST_CASE("real machine: a killed controller leaves no process, and its files are removed at the next start") {
    MEDIARIG_LAB_PART(1);
    if (const auto why = missing(); !why.empty()) MEDIARIG_SKIP(why);
    tests::Scratch scratch;
    const auto image = *cached_image();
    auto controller = BoundProcess::start(LAB_CONTROLLER, {image.kernel, image.initrd, scratch.path()},
                                          scratch.path("controller.log"));
    REQUIRE(reason(controller) == "success");
    const auto said = [&] { return tests::text_of(scratch / "controller.log"); };
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(4);
    while (said().find("plugged\n") == std::string::npos && !controller->ended() &&
           std::chrono::steady_clock::now() < until)
        (void)comes_true([&] { return said().find("plugged\n") != std::string::npos || controller->ended(); });
    REQUIRE(said() == "plugged\n");
    // QEMU and the server of its medium.
    CHECK(processes_with(scratch.path("mediarig-lab-")).size() == 1);
    CHECK(processes_with(scratch.path()).size() == 3);
    REQUIRE(::kill(controller->id(), SIGKILL) == 0);
    CHECK(comes_true([&] { return processes_with(scratch.path()).empty(); }));

    const auto left = [&] {
        int found = 0;
        for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
            found += entry.path().filename().string().rfind("mediarig-lab-", 0) == 0 ? 1 : 0;
        return found;
    };
    CHECK(left() == 1);
    { const auto next = PrivateDirectory::make(scratch.path()); }
    CHECK(left() == 0);
}

} // namespace mediarig::lab
