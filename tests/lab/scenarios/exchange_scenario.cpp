// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <array>
#include <optional>

#include "tests/lab/scenarios/scenario.hpp"

namespace mediarig::lab {
namespace {

constexpr Bytes exchange_size = 64_MiB;
constexpr std::uint8_t other_slot = 3;

bool has_serial_in_exchange(std::uint8_t slot) {
    return slot <= 3 || slot == 8;
}

class ExchangePlay {
public:
    ExchangePlay(Stage& stage, const ExchangeScenario& scenario)
        : stage_(stage),
          scenario_(scenario),
          serial_(has_serial_in_exchange(scenario.slot) ? "CARD-T" : ""),
          here_(stage.make_card("target", serial_, exchange_size, 3)) {
        const bool reads_serial = !serial_.empty();
        if (scenario.exchange == Exchange::twin || scenario.exchange == Exchange::twin_beside)
            other_ = stage.make_card("twin", serial_, exchange_size, 4);
        if (scenario.exchange == Exchange::larger) other_ = stage.make_card("larger", serial_, 128_MiB, 4);
        if (scenario.exchange == Exchange::smaller) other_ = stage.make_card("smaller", serial_, 32_MiB, 4);
        if (scenario.exchange == Exchange::other || scenario.exchange == Exchange::swapped ||
            scenario.exchange == Exchange::other_again)
            other_ = stage.make_card("other", reads_serial ? "CARD-O" : "", exchange_size, 4);
        if (scenario.exchange == Exchange::swapped || scenario.exchange == Exchange::other_again)
            other_->serial = "CARD-O";
    }

    Verdict play() {
        const std::string node = stage_.plug(scenario_.slot, here_);
        if (scenario_.exchange == Exchange::swapped || scenario_.exchange == Exchange::other_again)
            (void)stage_.plug(other_slot, *other_);
        before_ = stage_.settled();
        slow_down();
        const Ending ending = perform(stage_, {scenario_.operation, node, serial_}, [&](Moment moment) {
            if (moment == scenario_.moment) exchange();
        });
        verdict_.done = ending.done;
        verdict_.refused = !ending.done && ending.code == Errc::refused;
        verdict_.ending = ending.done ? "done" : fmt::format("{}: {}", name_of(ending.code), ending.said);
        if (!told_)
            wrong("the moment never came: " + verdict_.ending);
        else
            judge(ending);
        stage_.machine().ask(stage_.machine().machine->throttle(SlotId{scenario_.slot}, {}));
        return verdict_;
    }

private:
    void wrong(std::string what) { verdict_.wrong.push_back(std::move(what)); }
    /// Slows the medium's writes, so that the call still runs when the exchange happens.
    void slow_down() {
        if (!concurrent(scenario_.moment)) return;
        const Limits limits{.write_bytes_per_second = 4'000'000};
        stage_.machine().ask(stage_.machine().machine->throttle(SlotId{scenario_.slot}, limits));
    }

    /// The agent cannot list devices while it is busy.
    void plug(std::uint8_t slot, const Card& card) {
        if (concurrent(scenario_.moment))
            stage_.push(slot, card);
        else
            (void)stage_.plug(slot, card);
    }

    void exchange() {
        told_ = true;
        if (concurrent(scenario_.moment)) stage_.pass(scenario_.delay);
        if (replaces(scenario_.exchange)) {
            stage_.unplug(scenario_.slot);
            before_.insert_or_assign(here_.name, Snapshot::of(here_.file));
        }
        switch (scenario_.exchange) {
            case Exchange::gone:
                break;
            case Exchange::again:
                plug(scenario_.slot, here_);
                break;
            case Exchange::twin_beside:
                plug(other_slot, *other_);
                break;
            case Exchange::other_again:
                stage_.unplug(other_slot);
                plug(other_slot, *other_);
                break;
            case Exchange::swapped:
                stage_.unplug(other_slot);
                plug(scenario_.slot, *other_);
                plug(other_slot, here_);
                break;
            default:
                plug(scenario_.slot, *other_);
        }
        if (concurrent(scenario_.moment)) stage_.pass(std::chrono::seconds(1));
    }

    void judge(const Ending& ending) {
        const auto after = stage_.settled();
        // The claim came after the exchange and claimed the new medium.
        const bool later = scenario_.moment == Moment::during_claim && ending.claimed_another;
        for (const auto& [name, bytes] : after) {
            if (name == here_.name && !replaces(scenario_.exchange)) continue;
            if (later && name != "bystander") continue;
            if (const std::string changed = bytes.changed_since(before_.at(name)); !changed.empty())
                wrong(fmt::format("written on {}: {}", name, changed));
        }
        // Only a claim that was answered before the exchange is complete.
        const bool over = scenario_.moment == Moment::during_claim && scenario_.operation == Operation::claim;
        if (replaces(scenario_.exchange) && ending.done && !over && !later) wrong("done although its medium left");
        if (scenario_.exchange == Exchange::other_again && !ending.done) wrong("another medium's re-plug ended it");
        if (scenario_.exchange == Exchange::twin_beside && !ending.done && ending.code != Errc::refused)
            wrong("a twin elsewhere is neither ignored nor a refusal");
        if (scenario_.exchange == Exchange::twin_beside && scenario_.moment == Moment::before_claim && ending.done)
            wrong("claimed by a serial that two media say");
    }

    Stage& stage_;
    const ExchangeScenario& scenario_;
    std::string serial_;
    Card here_;
    std::optional<Card> other_;
    bool told_{false};
    std::map<std::string, Snapshot> before_;
    Verdict verdict_;
};

} // namespace

std::string_view name_of(Exchange exchange) {
    constexpr std::array<std::string_view, 9> names{
        "a twin takes its port",         "another medium takes its port", "a larger twin takes its port",
        "a smaller twin takes its port", "it is plugged again",           "it is pulled",
        "it changes ports with another", "a twin appears elsewhere",      "another medium is plugged again"};
    return names[static_cast<std::size_t>(exchange)];
}

bool can_be_told(const ExchangeScenario& scenario) {
    const bool serial = has_serial_in_exchange(scenario.slot);
    if (scenario.exchange == Exchange::swapped || scenario.exchange == Exchange::twin_beside) return serial;
    if (scenario.moment != Moment::before_claim) return true;
    const bool other = serial && scenario.exchange == Exchange::other;
    return other || scenario.exchange == Exchange::gone || scenario.exchange == Exchange::other_again;
}

std::string title_of(const ExchangeScenario& scenario) {
    return fmt::format("{} {} ({} ms) of {} in slot {}", name_of(scenario.exchange), name_of(scenario.moment),
                       scenario.delay.count(), name_of(scenario.operation), scenario.slot);
}

Verdict play(Stage& stage, const ExchangeScenario& scenario) {
    return ExchangePlay(stage, scenario).play();
}

} // namespace mediarig::lab
