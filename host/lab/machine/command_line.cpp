// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/machine/command_line.hpp"

#include <fmt/format.h>

#include "host/lab/machine/external_ports.hpp"

namespace mediarig::lab {
namespace {

using Words = std::vector<std::string>;

void add(Words& words, std::string option, std::string value) {
    words.push_back(std::move(option));
    words.push_back(std::move(value));
}

Words machine_alone(const MachineSpec& spec, const MachineFiles& files, Accelerator accelerator) {
    Words words;
    add(words, "-machine", "q35");
    add(words, "-accel", accelerator == Accelerator::kvm ? "kvm" : "tcg,thread=multi");
    add(words, "-cpu", accelerator == Accelerator::kvm ? "host" : "max");
    add(words, "-smp", std::to_string(spec.processors));
    add(words, "-m", fmt::format("{}", spec.memory / 1_MiB));
    words.insert(words.end(), {"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"});
    add(words, "-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny");
    add(words, "-kernel", spec.image.kernel);
    add(words, "-chardev", "file,id=console,path=" + option_value(files.console()));
    add(words, "-serial", "chardev:console");
    return words;
}

void add_port(Words& words, const char* id, const std::string& socket, const char* name) {
    add(words, "-chardev", fmt::format("socket,id={},path={},server=on,wait=off", id, option_value(socket)));
    add(words, "-device", fmt::format("virtserialport,chardev={},name={},bus=serial.0", id, name));
}

void add_slot(Words& words, const PlacedSlot& slot) {
    if (!slot.slot.shares_uplink) add(words, "-object", fmt::format("throttle-group,id={}", slot.throttle_group()));
    if (slot.slot.kind == SlotKind::reader) {
        add(words, "-drive", fmt::format("if=none,id={}", slot.drive()));
        add(words, "-device",
            fmt::format("scsi-hd,bus={}.0,lun={},drive={},id={},removable=on,vendor=LAB,product=READER,"
                        "serial=READER-{},rerror=report,werror=report",
                        reader_id, slot.lun, slot.drive(), slot.device(), slot.slot.id.number));
    } else if (slot.slot.kind == SlotKind::sd) {
        add(words, "-drive", fmt::format("if=none,id={}", slot.drive()));
        add(words, "-device", fmt::format("sdhci-pci,id={},addr={:#x}", slot.name("host"), slot.pci));
        // The card attaches to the first free bus: that of the controller before it.
        add(words, "-device", fmt::format("sd-card,id={},drive={}", slot.device(), slot.drive()));
    } else if (slot.slot.kind == SlotKind::nvme) {
        // QEMU requires a unique pair of chassis and slot number per port.
        add(words, "-device",
            fmt::format("pcie-root-port,id={},bus=pcie.0,addr={:#x},chassis={},slot=0", slot.root_port(), slot.pci,
                        slot.slot.id.number));
    }
}

} // namespace

std::string option_value(const std::string& value) {
    std::string escaped;
    for (const char c : value) escaped += c == ',' ? ",," : std::string(1, c);
    return escaped;
}

Words command_line(const MachineSpec& spec, const SlotLayout& layout, const MachineFiles& files,
                   Accelerator accelerator) {
    Words words = machine_alone(spec, files, accelerator);
    add(words, "-initrd", spec.image.initrd);
    // tsc=reliable, no_timer_check: under load the guest would take its slow clock for a broken one, or stop because a
    // tick was late.
    add(words, "-append",
        "console=ttyS0 quiet loglevel=4 panic=-1 mitigations=off tsc=reliable no_timer_check random.trust_cpu=on");
    add(words, "-qmp", fmt::format("unix:{},server=on,wait=off", option_value(files.qmp())));
    add(words, "-device", "virtio-rng-pci");
    add(words, "-device", "virtio-serial-pci,id=serial");
    add_port(words, "agent", files.agent(), agent_port_name);
    add_port(words, "diagnosis", files.diagnosis(), diagnosis_port_name);
    add(words, "-device", "qemu-xhci,id=xhci,p2=15,p3=15");
    if (!layout.hub_port.empty())
        add(words, "-device", fmt::format("usb-hub,id={},bus=xhci.0,port={},ports=8", hub_id, layout.hub_port));
    if (!layout.reader_port.empty())
        add(words, "-device", fmt::format("usb-bot,id={},bus=xhci.0,port={}", reader_id, layout.reader_port));
    if (spec.uplink)
        add(words, "-object", fmt::format("throttle-group,id={},x-bps-total={}", uplink_group, spec.uplink->count));
    for (const PlacedSlot& slot : layout.slots) add_slot(words, slot);
    if (!external_ports(layout).empty()) add(words, "-acpitable", "file=" + option_value(files.external_ports()));
    return words;
}

Words probe_command_line(const MachineSpec& spec, const MachineFiles& files, Accelerator accelerator) {
    Words words = machine_alone(spec, files, accelerator);
    add(words, "-append", "console=ttyS0 panic=-1");
    return words;
}

} // namespace mediarig::lab
