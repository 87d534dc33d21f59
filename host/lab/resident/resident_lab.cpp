// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/resident_lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "host/agent/client/agent_client.hpp"
#include "host/lab/card/catalogue.hpp"
#include "host/lab/resident/slot_fit.hpp"
#include "host/media/identity/confirmation.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;
namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::string_view the_lab_itself = "the lab itself";
constexpr milliseconds between_turns{50};
constexpr milliseconds for_a_script = std::chrono::minutes(10);

std::string list_of(const std::vector<LabSlot>& slots) {
    std::string text;
    for (const LabSlot& slot : slots)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", slot.id.number, name_of(slot.kind));
    return text;
}

/// Returns the name of the file that stores a card's contents.
std::string content_of(const PlugCard& wanted, LabSlot slot) {
    return fmt::format("slot{}-{}-{}-{}.card", slot.id.number, fs::path(wanted.card).stem().string(),
                       wanted.size ? std::to_string(wanted.size->count) : "own",
                       wanted.seed ? std::to_string(*wanted.seed) : "own");
}

} // namespace

/// Prevents concurrent calls for one slot.
class ResidentLab::SlotTurn {
public:
    static Result<SlotTurn> take(const std::shared_ptr<std::set<SlotId>>& moving, SlotId slot) {
        if (moving->insert(slot).second) return SlotTurn(moving, slot);
        return fail(Errc::bad_request,
                    fmt::format("another command works on slot {}: wait until it is done", slot.number));
    }
    SlotTurn(SlotTurn&& other) noexcept = default;
    SlotTurn& operator=(SlotTurn&&) = delete;
    SlotTurn(const SlotTurn&) = delete;
    SlotTurn& operator=(const SlotTurn&) = delete;
    ~SlotTurn() {
        if (moving_) moving_->erase(slot_);
    }

private:
    SlotTurn(std::shared_ptr<std::set<SlotId>> moving, SlotId slot) : moving_(std::move(moving)), slot_(slot) {}
    std::shared_ptr<std::set<SlotId>> moving_;
    SlotId slot_;
};

ResidentLab::ResidentLab(VirtualMachine& machine, CardPrograms programs, std::vector<LabSlot> slots, fs::path sockets,
                         fs::path media)
    : machine_(machine),
      programs_(std::move(programs)),
      slots_(std::move(slots)),
      sockets_(std::move(sockets)),
      media_(std::move(media)) {}

Result<LabSlot> ResidentLab::slot_for(const PlugCard& wanted) const {
    const auto taken = [&](SlotId id) { return cards_.contains(id) || moving_->contains(id); };
    if (!wanted.slot) {
        const SlotKind kind = wanted.kind.value_or(SlotKind::usb);
        for (const LabSlot& slot : slots_)
            if (slot.kind == kind && !taken(slot.id)) return slot;
        return fail(Errc::bad_request,
                    fmt::format("no {} slot is free; the lab has the slots {}", name_of(kind), list_of(slots_)));
    }
    const auto found =
        std::find_if(slots_.begin(), slots_.end(), [&](const LabSlot& s) { return s.id == *wanted.slot; });
    if (found == slots_.end())
        return fail(Errc::bad_request,
                    fmt::format("there is no slot {}; the lab has the slots {}", wanted.slot->number, list_of(slots_)));
    if (wanted.kind && *wanted.kind != found->kind)
        return fail(Errc::bad_request,
                    fmt::format("slot {} is of the kind {}, not {}; the lab has the slots {}", found->id.number,
                                name_of(found->kind), name_of(*wanted.kind), list_of(slots_)));
    if (const auto card = cards_.find(found->id); card != cards_.end())
        return fail(Errc::bad_request,
                    fmt::format("slot {} already has {}: unplug it first", found->id.number, card->second.name));
    return *found;
}

Result<ResidentLab::Card*> ResidentLab::card_in(SlotId slot) {
    const auto card = cards_.find(slot);
    if (card != cards_.end()) return &card->second;
    const bool known = std::any_of(slots_.begin(), slots_.end(), [&](const LabSlot& s) { return s.id == slot; });
    if (known) return fail(Errc::bad_request, fmt::format("slot {} is empty", slot.number));
    return fail(Errc::bad_request,
                fmt::format("there is no slot {}; the lab has the slots {}", slot.number, list_of(slots_)));
}

ResidentLab::Answer<ResidentLab::Card> ResidentLab::switch_on(PlugCard wanted, LabSlot slot) {
    const auto text = find_card_config(wanted.card);
    if (!text) co_return fail(text.error());
    const CardOverrides overrides = overrides_for(slot.kind, wanted.size, wanted.seed);
    const auto config = parse_card_config(*text, overrides);
    if (!config) co_return fail(Errc::bad_request, wanted.card + ": " + config.error().detail);
    if (auto fits = fits_slot(slot.kind, *config); !fits) co_return fail(std::move(fits.error()));

    Card card{.name = wanted.card,
              .size = config->claimed,
              .serial = says_a_serial(slot.kind) ? fmt::format("LAB{:03}", slot.id.number) : std::string(),
              .node = {},
              .confirm = {},
              .smart_critical_warning = config->smart_critical_warning,
              .server = {}};
    CardMedium medium{.name = fmt::format("slot{}", slot.id.number),
                      .config = wanted.card,
                      .backing = media_ / content_of(wanted, slot),
                      .overrides = overrides};
    auto server = co_await CardServer::start(programs_, std::move(medium), sockets_);
    if (!server) co_return fail(std::move(server.error()));
    card.server = std::move(*server);
    co_return card;
}

ResidentLab::Answer<SlotChange> ResidentLab::plug(PlugCard wanted) {
    const auto slot = slot_for(wanted);
    if (!slot) co_return fail(slot.error());
    const auto turn = SlotTurn::take(moving_, slot->id);
    if (!turn) co_return fail(turn.error());
    auto card = co_await switch_on(std::move(wanted), *slot);
    if (!card) co_return fail(std::move(card.error()));

    const auto begun = steady_clock::now();
    LabMedium medium{.source = MediumSource::nbd(card->server->nbd_socket()),
                     .serial = card->serial,
                     .smart_critical_warning = card->smart_critical_warning};
    auto plugged = co_await machine_.plug(slot->id, std::move(medium));
    if (!plugged) {
        (void)co_await card->server->stop();
        co_return fail(std::move(plugged.error()));
    }
    SlotChange moved{.slot = slot->id, .took = {}, .node = {}, .confirm = {}, .unseen = {}};
    cards_.emplace(slot->id, std::move(*card));
    co_await await_card(moved);
    moved.took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun);
    if (auto why = machine_.failure()) co_return fail(std::move(*why));
    co_return moved;
}

ResidentLab::Answer<SlotChange> ResidentLab::unplug(SlotId slot) {
    const auto turn = SlotTurn::take(moving_, slot);
    if (!turn) co_return fail(turn.error());
    const auto held = card_in(slot);
    if (!held) co_return fail(held.error());
    const auto begun = steady_clock::now();
    auto pulled = co_await machine_.unplug(slot);
    if (!pulled) co_return fail(std::move(pulled.error()));
    const Card card = std::move(cards_.extract(slot).mapped());
    SlotChange moved{.slot = slot, .took = {}, .node = {}, .confirm = {}, .unseen = {}};
    co_await await_removal(moved);
    moved.took = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun);
    auto stopped = co_await card.server->stop();
    if (!stopped) co_return fail(std::move(stopped.error()));
    co_return moved;
}

ResidentLab::Answer<WriteCache::SectorCounts> ResidentLab::cut_power(CutPower cut) {
    const auto turn = SlotTurn::take(moving_, cut.slot);
    if (!turn) co_return fail(turn.error());
    const auto held = card_in(cut.slot);
    if (!held) co_return fail(held.error());
    auto gone = co_await machine_.cut_power(cut.slot);
    if (!gone) co_return fail(std::move(gone.error()));
    const Card card = std::move(cards_.extract(cut.slot).mapped());
    auto answer = co_await card.server->ask(PowerCut{cut.lose});
    auto stopped = co_await card.server->stop();
    if (!answer) co_return fail(std::move(answer.error()));
    if (!stopped) co_return fail(std::move(stopped.error()));
    co_return answer->sectors;
}

ResidentLab::Answer<CardAnswer> ResidentLab::order(OrderCard order) {
    if (std::holds_alternative<PowerCut>(order.order) || std::holds_alternative<PowerOn>(order.order))
        co_return fail(Errc::bad_request,
                       "the power of a card belongs to its slot: cut it with 'mediarig lab power-cut'");
    const auto held = card_in(order.slot);
    if (!held) co_return fail(held.error());
    co_return co_await (*held)->server->ask(order.order);
}

ResidentLab::Answer<ShellAnswer> ResidentLab::run(std::string script) {
    co_return co_await machine_.diagnose(std::move(script), for_a_script);
}

ResidentLab::Answer<ResidentLab::AgentTurn> ResidentLab::take_agent(std::string user) {
    asio::steady_timer pause(co_await asio::this_coro::executor);
    while (*agent_user_ == the_lab_itself) {
        pause.expires_after(between_turns);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    if (!agent_user_->empty())
        co_return fail(Errc::rig_fault,
                       fmt::format("the lab's agent is in use by {}: wait until it is done", *agent_user_));
    *agent_user_ = std::move(user);
    co_return AgentTurn(agent_user_);
}

template <class Look>
asio::awaitable<void> ResidentLab::look(SlotChange& moved, Look at) {
    std::string user(the_lab_itself);
    auto turn = co_await take_agent(std::move(user));
    if (!turn) {
        moved.unseen = turn.error().detail;
        co_return;
    }
    agent::AgentClient agent(machine_.agent_link());
    std::string name = "mediarig lab";
    auto hello = co_await agent.hello(std::move(name));
    Result<void> seen = hello ? Result<void>{} : fail(hello.error());
    if (seen) seen = co_await at(agent);
    if (!seen) moved.unseen = seen.error().detail;
    (void)co_await agent.close();
}

asio::awaitable<void> ResidentLab::await_card(SlotChange& moved) {
    const auto at = [&](agent::AgentClient& agent) -> asio::awaitable<Result<void>> {
        auto medium = co_await machine_.wait_for(moved.slot, agent);
        if (!medium) co_return fail(std::move(medium.error()));
        moved.node = medium->node;
        moved.confirm = media::confirmation_to_type(*medium);
        cards_.at(moved.slot).node = medium->node;
        cards_.at(moved.slot).confirm = moved.confirm;
        co_return Result<void>{};
    };
    co_await look(moved, at);
}

asio::awaitable<void> ResidentLab::await_removal(SlotChange& moved) {
    const auto at = [&](agent::AgentClient& agent) -> asio::awaitable<Result<void>> {
        co_return co_await machine_.wait_until_gone(moved.slot, agent);
    };
    co_await look(moved, at);
}

nlohmann::json ResidentLab::slots() const {
    nlohmann::json list = nlohmann::json::array();
    for (const LabSlot& slot : slots_) {
        nlohmann::json entry{{"slot", slot.id.number}, {"kind", name_of(slot.kind)}};
        if (const auto card = cards_.find(slot.id); card != cards_.end()) {
            entry["card"] = card->second.name;
            entry["size"] = card->second.size.count;
            entry["confirm"] = card->second.confirm;
            entry["node"] = card->second.node;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

std::vector<ActiveCard> ResidentLab::at_work() const {
    std::vector<ActiveCard> list;
    for (const auto& [slot, card] : cards_)
        list.push_back({fmt::format("the card in slot {}", slot.number), card.server->control_socket()});
    return list;
}

asio::awaitable<void> ResidentLab::clean_up() {
    for (auto& [slot, card] : cards_) (void)co_await card.server->stop();
    cards_.clear();
}

} // namespace mediarig::lab
