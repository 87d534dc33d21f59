// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/virtual_time_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "host/lab/machine/lab_link.hpp"
#include "host/lab/machine/preflight.hpp"
#include "host/lab/virtual/identity_text.hpp"
#include "host/lab/virtual/running_uml.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr Bytes log_size = 16_MiB;

Error nothing_started() {
    return {Errc::bad_request, "the machine in virtual time has not been started"};
}

std::string ublk_node(SlotId slot) {
    return fmt::format("/dev/ublkb{}", slot.number);
}

class VirtualTimeMachine final : public VirtualMachine {
public:
    explicit VirtualTimeMachine(asio::any_io_executor executor) : executor_(std::move(executor)) {}
    VirtualTimeMachine(const VirtualTimeMachine&) = delete;
    VirtualTimeMachine& operator=(const VirtualTimeMachine&) = delete;
    ~VirtualTimeMachine() override {
        if (uml_) uml_->end();
    }

    Answer<MachineReport> start(MachineSpec spec) override;
    Answer<void> stop() override {
        if (uml_) uml_->end();
        co_return Result<void>{};
    }
    std::optional<Error> failure() const override { return uml_ ? uml_->failure() : std::nullopt; }
    void abandon(std::string why) override {
        if (uml_) uml_->abandon(std::move(why));
    }
    bool runs_in_virtual_time() const override { return true; }
    CardStarter* own_cards() override { return uml_ ? uml_->cards().get() : nullptr; }

    Answer<void> plug(SlotId slot, LabMedium medium) override;
    Answer<void> unplug(SlotId slot) override;
    Answer<void> cut_power(SlotId slot) override { return unplug(slot); }
    Answer<void> throttle(SlotId, Limits) override { co_return not_here("a rate limit outside the card"); }
    Answer<void> inject_errors(SlotId, std::vector<InjectedError>) override { co_return not_here("injected errors"); }
    Answer<void> clear_errors(SlotId) override { co_return Result<void>{}; }

    std::unique_ptr<agent::AgentLink> agent_link() override;
    Answer<ShellAnswer> diagnose(std::string script, milliseconds within) override;

    bool matches(SlotId slot, const media::Medium& device) const override;
    Answer<media::Medium> wait_for(SlotId slot, agent::AgentClient& agent) override;
    Answer<void> wait_until_gone(SlotId slot, agent::AgentClient& agent) override;

private:
    struct Plugged {
        std::string card;
        Bytes size;
    };
    Answer<void> boot(const MachineSpec& spec);
    [[nodiscard]] Result<void> works() const;
    [[nodiscard]] Result<LabSlot> find(SlotId slot) const;
    static Result<void> not_here(std::string_view feature) {
        return fail(Errc::bad_request, fmt::format("the machine in virtual time has not {}: describe it in the card "
                                                   "model, or use the machine \"qemu\"",
                                                   feature));
    }

    asio::any_io_executor executor_;
    MachineTimeouts patience_;
    std::vector<LabSlot> slots_;
    std::map<SlotId, Plugged> plugged_;
    std::shared_ptr<RunningUml> uml_;
    bool started_{false};
};

VirtualMachine::Answer<MachineReport> VirtualTimeMachine::start(MachineSpec spec) {
    if (std::exchange(started_, true))
        co_return fail(Errc::bad_request, "this machine in virtual time was already started");
    patience_ = spec.patience;
    slots_ = spec.slots;
    if (auto image = check_image(spec.image); !image) co_return fail(std::move(image.error()));
    // The kernel's option "hostfs=" has flags after a comma.
    if (spec.media.find(',') != std::string::npos)
        co_return fail(Errc::bad_request, fmt::format("the lab's machine in virtual time cannot use the folder {}: its "
                                                      "path contains a comma; keep the store in another folder",
                                                      spec.media));
    std::ifstream meminfo("/proc/meminfo");
    const auto memory = available_memory(meminfo);
    if (!memory) co_return fail(memory.error());
    if (auto enough = check_memory(spec.memory, *memory); !enough) co_return fail(std::move(enough.error()));

    const auto before = steady_clock::now();
    auto booted = co_await boot(spec);
    if (!booted) {
        auto why = uml_ ? uml_->failure() : std::nullopt;
        if (uml_) uml_->end();
        co_return fail(why ? *why : booted.error());
    }
    MachineReport report{
        .version = "user-mode Linux", .accelerator = Accelerator::automatic, .boot = {}, .process = {}};
    report.boot = std::chrono::duration_cast<milliseconds>(steady_clock::now() - before);
    report.process = uml_->process();
    co_return report;
}

VirtualMachine::Answer<void> VirtualTimeMachine::boot(const MachineSpec& spec) {
    auto directory = PrivateDirectory::make(spec.directory);
    if (!directory) co_return fail(std::move(directory.error()));
    if (auto space = check_free_space(directory->path(), log_size); !space) co_return space;
    uml_ = std::make_shared<RunningUml>(executor_, std::move(*directory), patience_);
    if (auto started = uml_->start(spec); !started) co_return started;
    // The first answer of the agent marks the end of the boot.
    const auto link = agent_link();
    auto answered = co_await link->start();
    if (!answered) co_return answered;
    co_return co_await link->close();
}

Result<void> VirtualTimeMachine::works() const {
    if (!uml_) return fail(nothing_started());
    if (auto why = uml_->over()) return fail(std::move(*why));
    return {};
}

Result<LabSlot> VirtualTimeMachine::find(SlotId slot) const {
    const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const LabSlot& one) { return one.id == slot; });
    if (found != slots_.end()) return *found;
    return fail(Errc::bad_request, fmt::format("the machine in virtual time has no slot {}", slot.number));
}

VirtualMachine::Answer<void> VirtualTimeMachine::plug(SlotId id, LabMedium medium) {
    if (auto able = works(); !able) co_return able;
    const auto slot = find(id);
    if (!slot) co_return fail(slot.error());
    if (plugged_.contains(id))
        co_return fail(Errc::bad_request, fmt::format("slot {} already has a medium: unplug it first", id.number));
    if (medium.source.kind != MediumSource::Kind::guest_card) co_return not_here("a medium outside the guest");
    if (medium.read_only) co_return not_here("a write-protected medium");
    const std::string card = medium.source.path;
    const auto size = uml_->cards()->size_of(card);
    if (!size) co_return fail(size.error());
    ModelRequest attach = AttachModel{card, id.number, identity_text(slot->kind, card, *size, medium.figures)};
    auto attached = co_await uml_->cards()->ask(std::move(attach));
    if (!attached) co_return fail(std::move(attached.error()));
    plugged_[id] = {card, *size};
    co_return Result<void>{};
}

VirtualMachine::Answer<void> VirtualTimeMachine::unplug(SlotId slot) {
    if (auto able = works(); !able) co_return able;
    const auto plugged = plugged_.find(slot);
    if (plugged == plugged_.end()) co_return fail(Errc::bad_request, fmt::format("slot {} is empty", slot.number));
    ModelRequest detach = DetachModel{plugged->second.card};
    plugged_.erase(plugged);
    auto detached = co_await uml_->cards()->ask(std::move(detach));
    if (!detached) co_return fail(std::move(detached.error()));
    co_return Result<void>{};
}

std::unique_ptr<agent::AgentLink> VirtualTimeMachine::agent_link() {
    return make_lab_link(executor_, uml_, patience_, nothing_started);
}

VirtualMachine::Answer<ShellAnswer> VirtualTimeMachine::diagnose(std::string script, milliseconds within) {
    if (auto able = works(); !able) co_return fail(std::move(able.error()));
    co_return co_await run_in_guest(uml_, std::move(script), within);
}

bool VirtualTimeMachine::matches(SlotId slot, const media::Medium& device) const {
    const auto plugged = plugged_.find(slot);
    return plugged != plugged_.end() && device.node == ublk_node(slot) && device.size == plugged->second.size;
}

VirtualMachine::Answer<media::Medium> VirtualTimeMachine::wait_for(SlotId slot, agent::AgentClient& agent) {
    if (auto able = works(); !able) co_return fail(std::move(able.error()));
    if (!plugged_.contains(slot))
        co_return fail(Errc::bad_request, fmt::format("slot {} is empty: plug a medium first", slot.number));
    // plug() returns after the kernel has added the device.
    const auto devices = co_await agent.devices();
    if (!devices) co_return fail(devices.error());
    for (const media::Medium& device : *devices)
        if (matches(slot, device)) co_return device;
    co_return fail(Errc::no_medium, fmt::format("slot {}: the guest does not list {}", slot.number, ublk_node(slot)));
}

VirtualMachine::Answer<void> VirtualTimeMachine::wait_until_gone(SlotId slot, agent::AgentClient& agent) {
    if (auto able = works(); !able) co_return able;
    // unplug() returns after the kernel has removed the device.
    const auto devices = co_await agent.devices();
    if (!devices) co_return fail(devices.error());
    for (const media::Medium& device : *devices)
        if (device.node == ublk_node(slot))
            co_return fail(Errc::rig_fault,
                           fmt::format("slot {}: the guest still lists {}", slot.number, ublk_node(slot)));
    co_return Result<void>{};
}

} // namespace

std::unique_ptr<VirtualMachine> make_virtual_time_machine(const asio::any_io_executor& executor) {
    return std::make_unique<VirtualTimeMachine>(executor);
}

} // namespace mediarig::lab
