// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/lab/lab_route.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "host/app/files/paths.hpp"
#include "host/lab/card/card_server.hpp"
#include "host/lab/card/catalogue.hpp"
#include "host/lab/image/virtual_image.hpp"
#include "host/lab/machine/preflight.hpp"
#include "host/lab/machine/slot_layout.hpp"
#include "host/lab/resident/slot_fit.hpp"
#include "host/lab/resident/storage_watch.hpp"
#include "host/lab/virtual/identity_text.hpp"
#include "host/lab/virtual/virtual_time_machine.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

/// Enough for one or two file systems; later growth is monitored during the run.
constexpr Bytes least_space{16_MiB};

} // namespace

Result<LabSetup> set_up_lab(const std::vector<plan::EmulatedMedium>& lab, const fs::path& backings,
                            std::optional<Bytes> uplink, plan::LabMachine machine) {
    LabSetup setup{.uplink = uplink, .machine = machine};
    const bool emulated = machine == plan::LabMachine::qemu;
    for (std::size_t i = 0; i < lab.size(); ++i) {
        const plan::EmulatedMedium& medium = lab[i];
        const std::string place = fmt::format("/lab/{}/card: ", i);
        const auto text = lab::find_card_config(medium.card);
        if (!text) return fail(Errc::bad_request, place + text.error().detail);
        // Only an emulated slot has requirements; without a transport, a medium of any kind is an ordinary block
        // device.
        const SlotKind requirements = emulated ? medium.kind : SlotKind::usb;
        const lab::CardOverrides overrides = lab::overrides_for(requirements, medium.size, medium.seed);
        const auto config = lab::parse_card_config(*text, overrides);
        const std::string file = medium.card.find('/') == std::string::npos ? "" : medium.card + ": ";
        if (!config) return fail(Errc::bad_request, place + file + config.error().detail);
        if (const auto fits = lab::fits_slot(requirements, *config); !fits)
            return fail(Errc::bad_request, fmt::format("/lab/{}/size: {}", i, fits.error().detail));
        const bool at_usb = medium.kind != SlotKind::sd && medium.kind != SlotKind::nvme;
        setup.slots.push_back({medium.slot, medium.kind, uplink.has_value() && at_usb});
        setup.claimed[medium.slot] = config->claimed;
        setup.cards[medium.slot] = {.kind = medium.kind,
                                    .medium = {.name = fmt::format("LAB{:03}", medium.slot.number),
                                               .config = medium.card,
                                               .backing = backings / fmt::format("slot-{}.card", medium.slot.number),
                                               .overrides = overrides},
                                    .smart_critical_warning = config->smart_critical_warning,
                                    .figures = lab::model_figures(*config)};
    }
    return setup;
}

Result<void> check_slots(const LabSetup& setup) {
    if (setup.machine != plan::LabMachine::qemu) return {};
    if (const auto layout = lab::lay_out(setup.slots); !layout)
        return fail(layout.error().code, "/lab: " + layout.error().detail);
    return {};
}

LabRoute::LabRoute(LabSetup setup, fs::path backings, lab::ImageOptions image)
    : setup_(std::move(setup)), backings_(std::move(backings)), image_(std::move(image)) {}

LabRoute::~LabRoute() {
    *watching_ = false;
    rig_.reset();
    machine_.reset();
}

/// Call after all other checks: a lab that cannot start creates no folder.
Result<void> LabRoute::prepare_media() const {
    if (auto ours = make_lab_media(backings_); !ours) return ours;
    return lab::check_free_space(backings_, least_space);
}

asio::awaitable<Result<lab::MachineReport>> LabRoute::start_qemu(asio::any_io_executor executor) {
    const auto programs = lab::find_card_programs();
    if (!programs) co_return fail(programs.error());
    const auto image = lab::find_guest_image(image_);
    if (!image) co_return fail(image.error());
    if (auto ready = prepare_media(); !ready) co_return fail(std::move(ready.error()));
    auto made = lab::PrivateDirectory::make("");
    if (!made) co_return fail(made.error());
    sockets_.emplace(std::move(*made));
    starter_ = std::make_unique<lab::CardServers>(*programs, sockets());
    machine_ = lab::make_qemu_machine(executor);
    lab::MachineSpec spec{.image = {.kernel = image->kernel, .initrd = image->initrd},
                          .slots = setup_.slots,
                          .uplink = setup_.uplink,
                          .qemu = lab::wanted_qemu()};
    co_return co_await machine_->start(std::move(spec));
}

asio::awaitable<Result<lab::MachineReport>> LabRoute::start_virtual(asio::any_io_executor executor) {
    const auto image = lab::find_virtual_image(image_);
    if (!image) co_return fail(image.error());
    if (auto ready = prepare_media(); !ready) co_return fail(std::move(ready.error()));
    machine_ = lab::make_virtual_time_machine(executor);
    lab::MachineSpec spec{.image = {.kernel = image->kernel, .initrd = image->initrd}, .slots = setup_.slots};
    spec.media = backings_.string();
    co_return co_await machine_->start(std::move(spec));
}

asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> LabRoute::open(const asio::any_io_executor& executor) {
    opening_ = true;
    Result<lab::MachineReport> started = fail(Errc::bad_request, "not started");
    if (setup_.machine == plan::LabMachine::qemu)
        started = co_await start_qemu(executor);
    else
        started = co_await start_virtual(executor);
    opening_ = false;
    if (!started) co_return fail(started.error());
    lab::CardStarter* own = machine_->own_cards();
    rig_ = std::make_unique<rig::LabRig>(*machine_, own != nullptr ? *own : *starter_, setup_.cards);
    const auto at_work = [this] {
        std::vector<lab::ActiveCard> cards;
        for (const auto& [slot, card] : setup_.cards)
            if (const auto* working = rig_->card_in(slot))
                cards.push_back({fmt::format("the card in slot {}", slot.number), working->control_socket()});
        return cards;
    };
    // In virtual time the machine notices a failure of the storage itself.
    if (own == nullptr)
        asio::co_spawn(executor, lab::watch_storage(watching_, *machine_, backings_, at_work), asio::detached);
    co_return machine_->agent_link();
}

void LabRoute::expedite_close() {
    if (machine_) machine_->abandon("the lab's virtual machine was stopped at once on request");
}

asio::awaitable<Result<void>> LabRoute::close() {
    if (!machine_) co_return Result<void>{};
    auto stopped = co_await machine_->stop();
    // A signal may call this during open(), which still needs the machine to report the error.
    if (opening_) co_return stopped;
    *watching_ = false;
    rig_.reset();
    machine_.reset();
    co_return stopped;
}

} // namespace mediarig::app
