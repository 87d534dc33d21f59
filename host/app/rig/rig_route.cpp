// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/rig/rig_route.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

#include "common/rigproto/simulated_rig.hpp"
#include "host/app/files/paths.hpp"
#include "host/base/json/suggest.hpp"
#include "host/lab/card/card_server.hpp"
#include "host/rig/bank/bank_rig.hpp"
#include "host/rig/bank/blocking_supplies.hpp"
#include "host/rig/bank/board_supply.hpp"
#include "host/rig/power/hub/uhubctl.hpp"
#include "host/rig/station/manual_rig.hpp"
#include "host/rig/station/station_rig.hpp"
#include "host/rig/station/terminal.hpp"
#include "host/store/sqlite/open_rig_log.hpp"

namespace mediarig::app {

RigKind rig_kind_of(const std::string& how) {
    if (how.empty()) return RigKind::none;
    if (const auto word = std::ranges::find(rig_words, how); word != rig_words.end())
        return static_cast<RigKind>(word - rig_words.begin());
    return std::filesystem::path(how).extension() == ".json" ? RigKind::file : RigKind::line;
}

Result<void> check_line(const std::string& line, std::span<const std::string_view> known) {
    std::error_code unknown;
    const std::string_view near = strict_json::nearest(line, known);
    if (near.empty() || std::filesystem::exists(line, unknown)) return {};
    return fail(Errc::bad_request, fmt::format("there is no rig '{}'; did you mean '{}'?", line, near));
}

namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;

/// The campaign continues with the second reader if a card does not come out of the first.
constexpr std::uint8_t simulated_ports = 2;

/// Gives the lab's machine one USB port per reader of the rig; cards are plugged into them while it runs.
LabSetup readers_of(std::uint8_t ports, std::optional<Bytes> uplink) {
    LabSetup readers{.uplink = uplink};
    for (std::uint8_t index = 0; index < ports; ++index)
        readers.slots.push_back(
            {.id = lab_slot_of(rig::PortIndex{index}), .kind = SlotKind::usb, .shares_uplink = uplink.has_value()});
    return readers;
}

Result<rig::RigConfig> simulated_for(const plan::Plan& plan, bool bank) {
    if (plan.lab.empty())
        return fail(Errc::bad_request, "the simulated rig moves media of the virtual lab; add a \"lab\" to the plan");
    std::uint8_t pockets = 1;
    for (std::size_t i = 0; i < plan.lab.size(); ++i) {
        const plan::EmulatedMedium& medium = plan.lab[i];
        if (medium.kind != SlotKind::usb)
            return fail(
                Errc::bad_request,
                fmt::format("/lab/{}/kind: the readers of the simulated rig are separate USB ports; use \"usb\"", i));
        if (medium.slot.number > rigproto::max_pockets)
            return fail(Errc::bad_request, fmt::format("/lab/{}/slot: is {}, and a magazine has up to {} pockets", i,
                                                       medium.slot.number, rigproto::max_pockets));
        if (bank && medium.slot.number > rigproto::port_count)
            return fail(Errc::bad_request, fmt::format("/lab/{}/slot: is {}, and a rig without a carriage has up to {} "
                                                       "readers",
                                                       i, medium.slot.number, rigproto::port_count));
        pockets = std::max(pockets, medium.slot.number);
    }
    rig::RigConfig config = rig::default_rig();
    config.board = bank ? rigproto::simulated_rig(0, pockets) : rigproto::simulated_rig(pockets, simulated_ports);
    if (bank) config.slots = rig::slots_of_readers(config);
    return config;
}

rig::StationSetup station_of(const rig::RigConfig& config, bool emulated) {
    return {.pockets = config.board.pockets,
            .ports = config.board.ports,
            .reader_paths = config.reader_paths,
            .has_nest = config.board.z_nest != 0,
            .emulated = emulated,
            .keeps_in_magazine = !config.sorts_into_bins};
}

bool needs_board(const rig::RigConfig& config) {
    return config.slots.empty() || std::ranges::any_of(config.slots, [](const rig::BankSlot& slot) {
               return std::holds_alternative<rig::BoardPower>(slot.power);
           });
}

/// Power supplies that switch the slots of a rig without a carriage.
struct Supplies {
    using SupplyResult = std::unique_ptr<rig::Supply>;
    asio::any_io_executor executor;
    rig::Board* board; ///< null if no slot needs it
    rig::Operator& person;
    std::shared_ptr<rig::PortSet> guarded = std::make_shared<rig::PortSet>();
    std::shared_ptr<rig::PortSwitch> hubs = std::make_shared<rig::Uhubctl>();

    SupplyResult operator()(const rig::BoardPower& power) const {
        return std::make_unique<rig::BoardSupply>(*board, power.port, guarded);
    }
    SupplyResult operator()(const rig::HubPower& power) const {
        return std::make_unique<rig::HubSupply>(hubs, power.port, executor);
    }
    SupplyResult operator()(const rig::PlugPower& power) const {
        return std::make_unique<rig::PlugSupply>(power.plug, rig::PlugSetup{.brokers = broker_file()}, executor);
    }
    SupplyResult operator()(const rig::EnclosurePower& power) const {
        rig::ThunderboltSupply::Setup setup{
            .power = power,
            .plug = {.brokers = broker_file()},
            .tell = [this_person = &person](const std::string& line) { this_person->tell(line); }};
        return std::make_unique<rig::ThunderboltSupply>(std::move(setup), executor);
    }
    SupplyResult operator()(const rig::ManualPower&) const { return nullptr; }
};

} // namespace

Result<rig::RigConfig> rig_for(const RigChoice& choice, const plan::Plan& plan) {
    if (choice.simulated()) {
        auto config = simulated_for(plan, choice.simulated_bank());
        if (!config || choice.script.empty()) return config;
        if (auto script = check_rig_script(choice.script, config->board.pockets, config->board.ports); !script)
            return fail(std::move(script.error()));
        return config;
    }
    if (!plan.lab.empty())
        return fail(Errc::bad_request,
                    "a plan with a \"lab\" runs on emulated media, which only the simulated rig moves; use --rig sim, "
                    "or leave --rig out");
    if (choice.kind() == RigKind::file) return rig::read_rig(choice.how);
    rig::RigConfig config = rig::default_rig();
    // The nest may be missing: do not press a card onto it.
    config.board.x_nest = config.board.z_nest = 0;
    if (choice.kind() == RigKind::detected) return config;
    if (auto line = check_line(choice.how, rig_words); !line) return fail(std::move(line.error()));
    config.path = choice.how;
    return config;
}

RigRoute::RigRoute(Setup setup) : setup_(std::move(setup)) {
    if (setup_.lab)
        lab_ = std::make_unique<LabRoute>(readers_of(setup_.config.board.ports, setup_.lab->uplink), setup_.media);
}

RigRoute::~RigRoute() = default;

asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> RigRoute::open(const asio::any_io_executor& executor) {
    opening_ = true;
    auto link = co_await open_all(executor);
    opening_ = false;
    co_return link;
}

asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> RigRoute::open_all(const asio::any_io_executor& executor) {
    auto link = co_await way().open(executor);
    if (!link) co_return fail(std::move(link.error()));
    if (lab_)
        if (auto simulated = co_await start_simulation(executor); !simulated)
            co_return fail(std::move(simulated.error()));

    if (needs_board(setup_.config))
        if (auto board = co_await open_board(executor); !board) co_return fail(std::move(board.error()));
    std::function<std::optional<Error>()> emulation_trouble;
    if (bridge_) emulation_trouble = [this] { return bridge_->lab_fault(); };
    if (setup_.config.slots.empty()) {
        rig::StationSetup station = station_of(setup_.config, simulated_.has_value());
        station.trouble_of_emulation = std::move(emulation_trouble);
        rig_ = std::make_unique<rig::StationRig>(*board_, *log_, std::move(station));
        co_return std::move(*link);
    }
    person_ = std::make_unique<rig::Terminal>(executor, STDIN_FILENO, STDERR_FILENO);
    const Supplies supplies{.executor = executor, .board = board_.get(), .person = *person_};
    std::vector<rig::SwitchedSlot> slots;
    for (const rig::BankSlot& slot : setup_.config.slots)
        slots.push_back({.supply = std::visit(supplies, slot.power), .usb = slot.usb, .serial = slot.serial});
    rig::BankSetup bank;
    bank.emulated = simulated_.has_value();
    bank.trouble_of_emulation = std::move(emulation_trouble);
    if (!setup_.config.name.empty()) bank.name = setup_.config.name;
    rig_ = std::make_unique<rig::BankRig>(std::move(slots), *person_, std::move(bank));
    co_return std::move(*link);
}

asio::awaitable<Result<void>> RigRoute::open_board(const asio::any_io_executor& executor) {
    auto log = store::open_rig_log(setup_.store);
    if (!log) co_return fail(std::move(log.error()));
    log_ = std::make_shared<rig::AsyncRigLog>(std::move(*log), executor);
    rig::BoardSettings settings = settings_of(setup_.config);
    if (simulated_) settings.path = simulated_->line().string();
    auto board = co_await rig::SerialBoard::open(executor, std::move(settings), log_);
    if (!board) co_return fail(std::move(board.error()));
    board_ = std::move(*board);
    co_return Result<void>{};
}

asio::awaitable<Result<void>> RigRoute::start_simulation(const asio::any_io_executor& executor) {
    const auto programs = lab::find_card_programs();
    if (!programs) co_return fail(programs.error());
    SimulatedRigSetup wanted{.folder = setup_.media / "rig",
                             .script = setup_.script,
                             .pockets = setup_.config.board.pockets,
                             .ports = setup_.config.board.ports,
                             .capacities = {}};
    for (const auto& [slot, claimed] : setup_.lab->claimed) wanted.capacities[rig::pocket_of(slot)] = claimed;
    auto started = co_await SimulatedRig::start(wanted);
    if (!started) co_return fail(std::move(started.error()));
    simulated_.emplace(std::move(*started));
    std::map<rig::Pocket, lab::CardMedium> cards;
    for (const auto& [slot, card] : setup_.lab->cards) cards[rig::pocket_of(slot)] = card.medium;
    bridge_ = std::make_unique<LabBridge>(*lab_->machine(), *programs, std::move(cards), simulated_->in_readers(),
                                          simulated_->events(), lab_->sockets());
    bridge_->start(executor);
    co_return Result<void>{};
}

asio::awaitable<Result<void>> RigRoute::close() {
    // A signal may call this during open(), while all members are in use; it is called again after open() has failed.
    if (opening_) co_return co_await way().close();
    if (board_ && rig_ && setup_.config.board.pockets != 0) {
        // Park the axes. A latched rig refuses to move and is already at rest.
        board_->because("end of the campaign");
        (void)co_await board_->park();
    }
    rig_.reset();
    person_.reset();
    if (board_) board_->close();
    board_.reset();
    log_.reset();
    if (bridge_) co_await bridge_->stop();
    bridge_.reset();
    simulated_.reset();
    co_return co_await way().close();
}

namespace {

/// Card model that never appears in any reader.
constexpr std::string_view dead_card = "dead";

Result<void> needs_no_rig(const plan::Plan& plan) {
    if (!plan.lab.empty()) return {};
    if (plan.all_slots)
        return fail(Errc::bad_request, "the plan tests all slots, and no rig is connected; name one with --rig");
    for (const plan::MediumRef& medium : plan.media)
        if (medium.slot)
            return fail(Errc::bad_request, fmt::format("medium '{}' is in slot {}, and no rig is connected; name one "
                                                       "with --rig, name the medium by path or image, or add a \"lab\"",
                                                       medium.name, medium.slot->number));
    return {};
}

} // namespace

Result<plan::Plan> plan_on(const RigChoice& choice, const plan::Plan& plan) {
    if (choice.manual() && plan.all_slots)
        return fail(Errc::bad_request, "a manual rig has no magazine with a number of slots; list them in \"slots\"");
    if (!choice.board()) {
        if (!choice.manual())
            if (auto possible = needs_no_rig(plan); !possible) return fail(possible.error());
        return plan;
    }
    const auto config = rig_for(choice, plan);
    if (!config) return fail(config.error());
    const std::size_t slots = config->slots.empty() ? config->board.pockets : config->slots.size();
    return plan::with_slots(plan, static_cast<std::uint8_t>(slots));
}

std::vector<plan::EmulatedMedium> living_cards(const plan::Plan& plan) {
    std::vector<plan::EmulatedMedium> living = plan.lab;
    std::erase_if(living, [](const plan::EmulatedMedium& medium) { return medium.card == dead_card; });
    return living;
}

rig::BoardSettings settings_of(const rig::RigConfig& config) {
    return {.path = config.path, .serial = config.board_serial, .config = config.board, .lease = config.lease};
}

std::vector<std::string> usb_paths_of(const rig::RigConfig& config) {
    std::vector<std::string> paths;
    const std::vector<std::string>& readers = config.reader_paths;
    std::ranges::copy_if(readers, std::back_inserter(paths), [](const std::string& path) { return !path.empty(); });
    for (const rig::BankSlot& slot : config.slots) {
        const auto* hub = std::get_if<rig::HubPower>(&slot.power);
        const std::string path = hub != nullptr && slot.usb.empty() ? hub->port.path() : slot.usb;
        if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
    }
    return paths;
}

namespace {

class ManualRoute final : public Route {
public:
    explicit ManualRoute(const AgentChoice& choice) : way_(make_agent_route(choice)) {}

    asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(const asio::any_io_executor& executor) override {
        person_ = std::make_unique<rig::Terminal>(executor, STDIN_FILENO, STDERR_FILENO);
        rig_ = std::make_unique<rig::ManualRig>(*person_);
        return way_->open(executor);
    }
    asio::awaitable<Result<void>> close() override {
        rig_.reset();
        person_.reset();
        return way_->close();
    }
    rig::Rig* rig() override { return rig_.get(); }

private:
    std::unique_ptr<Route> way_;
    std::unique_ptr<rig::Terminal> person_;
    std::unique_ptr<rig::ManualRig> rig_;
};

} // namespace

std::unique_ptr<Route> make_manual_route(const AgentChoice& choice) {
    return std::make_unique<ManualRoute>(choice);
}

} // namespace mediarig::app
