// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "host/base/replace_file.hpp"
#include "host/lab/machine/accelerator.hpp"
#include "host/lab/machine/command_line.hpp"
#include "host/lab/machine/external_ports.hpp"
#include "host/lab/machine/lab_link.hpp"
#include "host/lab/machine/machine.hpp"
#include "host/lab/machine/preflight.hpp"
#include "host/lab/machine/running_qemu.hpp"
#include "host/lab/machine/slot_bank.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds between_listings{50};

bool has_serial(const media::Medium& device, const std::string& serial) {
    return device.serial == serial || (device.usb && device.usb->serial == serial) ||
           (device.scsi && device.scsi->unit_serial == serial);
}

Error not_started() {
    return {Errc::bad_request, "the virtual machine has not been started"};
}

std::string nodes_of(const std::vector<media::Medium>& devices) {
    std::string text;
    for (const media::Medium& device : devices) text += (text.empty() ? "" : ", ") + device.node;
    return text.empty() ? "no block device" : text;
}

Result<void> write_firmware_table(const SlotLayout& layout, const MachineFiles& files) {
    const auto ports = external_ports(layout);
    if (ports.empty()) return {};
    return replace_own_file(files.external_ports(), external_ports_table(ports));
}

class QemuMachine final : public VirtualMachine {
public:
    explicit QemuMachine(asio::any_io_executor executor) : executor_(std::move(executor)) {}
    QemuMachine(const QemuMachine&) = delete;
    QemuMachine& operator=(const QemuMachine&) = delete;
    ~QemuMachine() override {
        if (qemu_) qemu_->end();
    }

    Answer<MachineReport> start(MachineSpec spec) override;
    Answer<void> stop() override;
    std::optional<Error> failure() const override;
    void abandon(std::string why) override {
        if (qemu_) qemu_->abandon(std::move(why));
    }

    Answer<void> plug(SlotId slot, LabMedium medium) override;
    Answer<void> unplug(SlotId slot) override { return take(slot, SlotBank::Cut::device); }
    Answer<void> cut_power(SlotId slot) override { return take(slot, SlotBank::Cut::device_and_card); }
    Answer<void> throttle(SlotId slot, Limits limits) override;
    Answer<void> inject_errors(SlotId slot, std::vector<InjectedError> errors) override;
    Answer<void> clear_errors(SlotId slot) override { return inject_errors(slot, {}); }

    std::unique_ptr<agent::AgentLink> agent_link() override;
    Answer<ShellAnswer> diagnose(std::string script, milliseconds within) override;

    bool matches(SlotId slot, const media::Medium& device) const override;
    Answer<media::Medium> wait_for(SlotId slot, agent::AgentClient& agent) override;
    Answer<void> wait_until_gone(SlotId slot, agent::AgentClient& agent) override;

private:
    Answer<void> boot(const MachineSpec& spec, std::string program, const SlotLayout& layout);
    Answer<void> take(SlotId slot, SlotBank::Cut cut);
    [[nodiscard]] Result<void> works() const;
    /// Replaces the error of a call by the machine's failure if that is the cause.
    [[nodiscard]] Result<void> explained(Result<void> result) const;
    /// Opens the reader's device: only then does the guest's kernel notice that a card was inserted or removed. This
    /// works for the first slot only: for other slots QEMU's reader answers the query for the cause (REQUEST SENSE)
    /// with "logical unit not supported", so the guest never receives "medium changed".
    Answer<void> have_reader_looked_at(const PlacedSlot& slot, const std::vector<media::Medium>& devices,
                                       agent::AgentClient& agent);

    asio::any_io_executor executor_;
    MachineTimeouts patience_;
    MachineReport report_;
    std::shared_ptr<RunningQemu> qemu_;
    std::unique_ptr<SlotBank> slots_;
    bool started_{false};
    bool stopped_{false};
};

VirtualMachine::Answer<MachineReport> QemuMachine::start(MachineSpec spec) {
    if (std::exchange(started_, true)) co_return fail(Errc::bad_request, "this virtual machine was already started");
    patience_ = spec.patience;
    const auto layout = lay_out(spec.slots);
    if (!layout) co_return fail(layout.error());
    const auto program = find_qemu(spec.qemu);
    if (!program) co_return fail(program.error());
    if (auto image = check_image(spec.image); !image) co_return fail(std::move(image.error()));
    std::ifstream meminfo("/proc/meminfo");
    const auto memory = available_memory(meminfo);
    if (!memory) co_return fail(memory.error());
    if (auto enough = check_memory(spec.memory, *memory); !enough) co_return fail(std::move(enough.error()));

    const auto before = steady_clock::now();
    auto booted = co_await boot(spec, *program, *layout);
    if (!booted) {
        auto why = qemu_ ? qemu_->failure() : std::nullopt;
        const auto stopped = co_await stop();
        co_return fail(why ? *why : booted.error());
    }
    report_.boot = std::chrono::duration_cast<milliseconds>(steady_clock::now() - before);
    co_return report_;
}

VirtualMachine::Answer<void> QemuMachine::boot(const MachineSpec& spec, std::string program, const SlotLayout& layout) {
    auto directory = PrivateDirectory::make(spec.directory);
    if (!directory) co_return fail(std::move(directory.error()));
    if (auto free_space = check_free_space(directory->path(), log_space); !free_space) co_return free_space;
    report_.accelerator = co_await choose_accelerator(spec, program, directory->path(), [this] { return !stopped_; });
    if (stopped_) co_return fail(Errc::cancelled, "the virtual machine was stopped before it started");

    qemu_ = std::make_shared<RunningQemu>(executor_, std::move(*directory), patience_);
    if (auto told = write_firmware_table(layout, qemu_->files()); !told) co_return told;
    std::vector<std::string> arguments = command_line(spec, layout, qemu_->files(), report_.accelerator);
    auto started = co_await qemu_->start(std::move(program), std::move(arguments));
    if (!started) co_return started;
    report_.version = qemu_->qmp().version();
    report_.process = qemu_->process();
    slots_ = std::make_unique<SlotBank>(qemu_->qmp(), layout, patience_);
    if (!layout.reader_port.empty()) {
        auto shown = co_await qemu_->qmp().execute(attach_reader(), patience_.command);
        if (!shown) co_return fail(std::move(shown.error()));
    }
    // The first answer of the agent marks the end of the boot.
    const auto link = agent_link();
    auto answered = co_await link->start();
    if (!answered) co_return answered;
    auto closed = co_await link->close();
    if (!closed) co_return closed;
    qemu_->expect_life();
    co_return Result<void>{};
}

VirtualMachine::Answer<void> QemuMachine::stop() {
    stopped_ = true;
    if (!qemu_) co_return Result<void>{};
    co_return co_await qemu_->stop();
}

std::optional<Error> QemuMachine::failure() const {
    return qemu_ ? qemu_->failure() : std::nullopt;
}

Result<void> QemuMachine::works() const {
    if (!slots_) return fail(not_started());
    if (auto why = qemu_->over()) return fail(std::move(*why));
    return {};
}

Result<void> QemuMachine::explained(Result<void> result) const {
    if (result || result.error().code == Errc::bad_request) return result;
    if (auto why = failure()) return fail(std::move(*why));
    return result;
}

VirtualMachine::Answer<void> QemuMachine::plug(SlotId slot, LabMedium medium) {
    if (auto able = works(); !able) co_return able;
    auto plugged = co_await slots_->plug(slot, std::move(medium));
    co_return explained(std::move(plugged));
}

VirtualMachine::Answer<void> QemuMachine::take(SlotId slot, SlotBank::Cut cut) {
    if (auto able = works(); !able) co_return able;
    auto taken = co_await slots_->unplug(slot, cut);
    co_return explained(std::move(taken));
}

VirtualMachine::Answer<void> QemuMachine::throttle(SlotId slot, Limits limits) {
    if (auto able = works(); !able) co_return able;
    auto set = co_await slots_->throttle(slot, limits);
    co_return explained(std::move(set));
}

VirtualMachine::Answer<void> QemuMachine::inject_errors(SlotId slot, std::vector<InjectedError> errors) {
    if (auto able = works(); !able) co_return able;
    auto injected = co_await slots_->inject_errors(slot, std::move(errors));
    co_return explained(std::move(injected));
}

std::unique_ptr<agent::AgentLink> QemuMachine::agent_link() {
    return make_lab_link(executor_, qemu_, patience_, not_started);
}

VirtualMachine::Answer<ShellAnswer> QemuMachine::diagnose(std::string script, milliseconds within) {
    if (auto able = works(); !able) co_return fail(std::move(able.error()));
    co_return co_await run_in_guest(qemu_, std::move(script), within);
}

bool QemuMachine::matches(SlotId slot, const media::Medium& device) const {
    const PlacedSlot* placed = slots_ ? slots_->layout().find(slot) : nullptr;
    const InsertedMedium* held = slots_ ? slots_->held(slot) : nullptr;
    return placed != nullptr && held != nullptr && is_at(*placed, device) && device.size == held->size &&
           (held->medium.serial.empty() || has_serial(device, held->medium.serial));
}

VirtualMachine::Answer<void> QemuMachine::have_reader_looked_at(const PlacedSlot& slot,
                                                                const std::vector<media::Medium>& devices,
                                                                agent::AgentClient& agent) {
    if (slot.slot.kind != SlotKind::reader) co_return Result<void>{};
    for (const media::Medium& device : devices) {
        if (!is_at(slot, device)) continue;
        if (slot.lun > 0) {
            const std::size_t name = device.node.rfind('/') + 1;
            std::string script = "echo 1 > /sys/block/" + device.node.substr(name) + "/device/rescan";
            const auto looked = co_await qemu_->shell().run(std::move(script), patience_.appear);
            if (!looked) co_return fail(looked.error());
            continue;
        }
        // An empty slot cannot be inspected, but the attempt opens the device, which is the purpose.
        const auto opened = co_await agent.inspect(device.node);
        if (!opened && opened.error().code == Errc::agent_lost) co_return fail(opened.error());
    }
    co_return Result<void>{};
}

VirtualMachine::Answer<media::Medium> QemuMachine::wait_for(SlotId slot, agent::AgentClient& agent) {
    if (auto able = works(); !able) co_return fail(std::move(able.error()));
    const auto placed = slots_->find(slot);
    if (!placed) co_return fail(placed.error());
    if (slots_->held(slot) == nullptr)
        co_return fail(Errc::bad_request, fmt::format("slot {} is empty: plug a medium first", slot.number));
    const std::string what = slots_->held(slot)->medium.source.path;
    asio::steady_timer pause(executor_);
    const auto until = steady_clock::now() + patience_.appear;
    while (true) {
        const auto devices = co_await agent.devices();
        if (!devices) co_return fail(devices.error());
        for (const media::Medium& device : *devices)
            if (matches(slot, device)) co_return device;
        if (auto able = works(); !able) co_return fail(std::move(able.error()));
        if (steady_clock::now() >= until)
            co_return fail(Errc::no_medium,
                           fmt::format("slot {} ({}): the medium {} did not appear in the guest within {} s, which "
                                       "lists {}",
                                       slot.number, name_of((*placed)->slot.kind), what,
                                       patience_.appear.count() / 1000, nodes_of(*devices)));
        auto looked = co_await have_reader_looked_at(**placed, *devices, agent);
        if (!looked) co_return fail(std::move(looked.error()));
        pause.expires_after(between_listings);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

VirtualMachine::Answer<void> QemuMachine::wait_until_gone(SlotId slot, agent::AgentClient& agent) {
    if (auto able = works(); !able) co_return able;
    const auto placed = slots_->find(slot);
    if (!placed) co_return fail(placed.error());
    asio::steady_timer pause(executor_);
    const auto until = steady_clock::now() + patience_.vanish;
    while (true) {
        const auto devices = co_await agent.devices();
        if (!devices) co_return fail(devices.error());
        const bool there = std::any_of(devices->begin(), devices->end(), [&](const media::Medium& device) {
            return device.size > 0_B && is_at(**placed, device);
        });
        if (!there) co_return Result<void>{};
        if (auto able = works(); !able) co_return able;
        if (steady_clock::now() >= until)
            co_return fail(Errc::rig_fault,
                           fmt::format("slot {} ({}): the guest still lists a medium {} s after its removal",
                                       slot.number, name_of((*placed)->slot.kind), patience_.vanish.count() / 1000));
        auto looked = co_await have_reader_looked_at(**placed, *devices, agent);
        if (!looked) co_return looked;
        pause.expires_after(between_listings);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

} // namespace

std::unique_ptr<VirtualMachine> make_qemu_machine(const asio::any_io_executor& executor) {
    return std::make_unique<QemuMachine>(executor);
}

} // namespace mediarig::lab
