// SPDX-License-Identifier: GPL-3.0-or-later
/// A board with cards, whose motions make block devices of a fake agent appear and disappear. The board writes its
/// ledger as a real board does, its cards can cause faults, and its controller can die at each call, before or after
/// the action.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/rig/port/board.hpp"
#include "host/rig/port/rig_log.hpp"
#include "tests/fakes/fake_agent_link.hpp"
#include "tests/fakes/sample_reading.hpp"

namespace mediarig::rig {

struct FakeCard {
    media::Medium medium;
    enum class Kind : std::uint8_t {
        good,
        bent,      ///< the card does not go into the reader and returns to its pocket
        stuck,     ///< the card does not come out of its reader
        dead,      ///< the card is inserted and never appears
        shorted,   ///< the card trips its port
        companion, ///< another device appears with the card
        stays,     ///< the card stays listed without its port's voltage
        impostor   ///< the card returns as another medium
    } kind{};
};

/// State that outlives a controller: positions of the cards and powered ports.
struct FakeMagazine {
    std::map<std::uint8_t, FakeCard> cards;     ///< by number: card 3 began in pocket 3, from 0
    std::map<std::uint8_t, std::string> places; ///< place of each card, by number: "pocket 3", "port 0", "bin 0", "cup"
    std::set<PortIndex> powered;
    std::set<PortIndex> remembered; ///< occupied readers in the board's memory
    std::set<PortIndex> blind;      ///< readers whose card-detect never reports a card
    bool homed{}, latched{}, estop{}, cold{true};
    rigproto::Fault fault{};
    std::uint32_t last_job{};
    std::vector<std::string> actions; ///< "load 3 -> 0", "on 0", …: the actions that the board executed

    void put(std::uint8_t number, FakeCard card) {
        cards[number] = std::move(card);
        places[number] = fmt::format("pocket {}", number);
    }
    [[nodiscard]] std::optional<std::uint8_t> card_at(const std::string& place) const {
        for (const auto& [card, where] : places)
            if (where == place) return card;
        return std::nullopt;
    }
};

class MagazineBoard final : public Board {
public:
    MagazineBoard(FakeMagazine& magazine, RigLog& log, agent::FakeAgentLink& agent)
        : magazine_(magazine), log_(log), agent_(agent) {
        (void)log_.open("fake board");
        hello_.cold_start = magazine_.cold ? 1 : 0;
        settle_what_is_open();
        magazine_.cold = false;
        show();
    }

    std::vector<Pocket> jams;                 ///< pockets whose next load jams and latches the rig
    std::map<Pocket, rigproto::Fault> breaks; ///< pockets whose next load ends with this fault, which latches the rig
    std::vector<Pocket> forgets;              ///< pockets whose next load ends because of host silence
    std::optional<std::size_t> dies_at;       ///< index of the call, from 0, at which the controller dies
    bool dies_after_the_act{};                ///< the controller dies after that call, else before it
    bool power_goes_too{};                    ///< the whole rig loses power at that moment
    std::set<Pocket> silent_on_nest;          ///< pockets whose card does not answer on the nest
    bool forgets_readings{};                  ///< the board has no readings, like a restarted board
    bool lost{};                              ///< the serial port of the board is missing
    std::function<void()> on_death;           ///< called at the controller's death
    std::function<bool()> killed = [] { return false; }; ///< true if killed by another cause than dies_at
    std::size_t calls{};

    const rigproto::HelloReply& hello() const override { return hello_; }
    Answer<rigproto::StatusReply> status() override {
        if (lost) co_return fail(Errc::io_failed, "the board is gone");
        rigproto::StatusReply reply;
        reply.state = magazine_.latched ? rigproto::State::latched
                      : magazine_.homed ? rigproto::State::ready
                                        : rigproto::State::unhomed;
        reply.fault = magazine_.latched ? magazine_.fault : rigproto::Fault::none;
        reply.last_job = magazine_.last_job;
        reply.flags = rigproto::flag_configured;
        if (magazine_.homed) reply.flags |= rigproto::flag_homed;
        if (!magazine_.estop) reply.flags |= rigproto::flag_safety_closed;
        if (magazine_.card_at("cup")) reply.flags |= rigproto::flag_holding;
        PortSet full, powered, occupied;
        for (std::uint8_t index = 0; index < rigproto::port_count; ++index) {
            const PortIndex port{index};
            if (magazine_.card_at(at_port(port)) && !magazine_.blind.contains(port)) full.insert(port);
            if (magazine_.remembered.contains(port)) occupied.insert(port);
            if (magazine_.powered.contains(port)) powered.insert(port);
        }
        reply.cards = full.bits;
        reply.powered = powered.bits;
        reply.occupied = occupied.bits;
        co_return reply;
    }
    Answer<rigproto::PortStatusReply> port(PortIndex port) override {
        rigproto::PortStatusReply reply;
        reply.port = port.index;
        reply.min_millivolts = 12;
        reply.off_time_us = 143'000;
        reply.ramp_us = 1'200;
        co_return reply;
    }
    Answer<RigJobOutcome> home() override {
        co_return job(Home{}, "home", [&](RigJobOutcome&) { magazine_.homed = true; });
    }
    Answer<RigJobOutcome> load(Pocket from, PortIndex into) override {
        const std::string action = fmt::format("load {} -> {}", from.index, into.index);
        co_return job(Load{from, into}, action, [&](RigJobOutcome& outcome) {
            const auto card = magazine_.card_at(fmt::format("pocket {}", from.index));
            if (!card) {
                outcome.fault = rigproto::Fault::pick_missed;
            } else if (std::erase(forgets, from) > 0) {
                outcome.fault = rigproto::Fault::lease;
                magazine_.homed = false;
            } else if (std::erase(jams, from) > 0) {
                latch(outcome, rigproto::Fault::jam);
            } else if (const auto broken = breaks.extract(from)) {
                latch(outcome, broken.mapped());
            } else if (magazine_.cards.at(*card).kind == FakeCard::Kind::bent) {
                outcome.fault = rigproto::Fault::insert_failed;
            } else {
                magazine_.places[*card] = at_port(into);
                magazine_.remembered.insert(into);
            }
        });
    }
    Answer<RigJobOutcome> unload(PortIndex from, Destination to) override {
        const auto* bin = std::get_if<rigproto::Bin>(&to);
        const std::string place = bin != nullptr ? fmt::format("bin {}", static_cast<unsigned>(*bin))
                                                 : fmt::format("pocket {}", std::get<Pocket>(to).index);
        const std::string action = fmt::format("unload {} -> {}", from.index, place);
        co_return job(Unload{from, to}, action, [&](RigJobOutcome& outcome) {
            const auto card = magazine_.card_at(at_port(from));
            if (!card || magazine_.cards.at(*card).kind == FakeCard::Kind::stuck)
                outcome.fault = rigproto::Fault::eject_failed;
            if (card && magazine_.powered.contains(from)) outcome.fault = rigproto::Fault::internal;
            if (outcome.fault != rigproto::Fault::none) return;
            magazine_.places[*card] = place;
            magazine_.remembered.erase(from);
        });
    }
    Answer<RigJobOutcome> identify(Pocket pocket) override {
        co_return job(Identify{pocket}, fmt::format("identify {}", pocket.index), [&](RigJobOutcome& outcome) {
            const auto card = magazine_.card_at(fmt::format("pocket {}", pocket.index));
            if (!card) {
                outcome.fault = rigproto::Fault::pick_missed;
            } else if (std::erase(forgets, pocket) > 0) {
                outcome.fault = rigproto::Fault::lease;
                magazine_.homed = false;
            } else if (std::erase(jams, pocket) > 0) {
                latch(outcome, rigproto::Fault::jam);
            } else {
                reading_ = silent_on_nest.contains(pocket) ? silence() : reading_of(*card);
                reading_.report.job = reading_.registers.job = outcome.job;
            }
        });
    }
    Answer<NestReading> nest() override {
        if (lost) co_return fail(Errc::io_failed, "the board is gone");
        co_return forgets_readings ? NestReading{} : reading_;
    }
    Answer<RigJobOutcome> power_on(PortIndex port) override {
        co_return job(Power{port, true}, fmt::format("on {}", port.index), [&](RigJobOutcome& outcome) {
            const auto card = magazine_.card_at(at_port(port));
            if (card && magazine_.cards.at(*card).kind == FakeCard::Kind::shorted)
                outcome.fault = rigproto::Fault::port_short;
            else
                magazine_.powered.insert(port);
        });
    }
    Answer<RigJobOutcome> power_off(PortIndex port) override {
        co_return job(Power{port, false}, fmt::format("off {}", port.index), [&](RigJobOutcome&) {
            magazine_.powered.erase(port);
            const auto card = magazine_.card_at(at_port(port));
            // When it is powered again, the impostor reports another serial.
            if (card && magazine_.cards.at(*card).kind == FakeCard::Kind::impostor)
                magazine_.cards.at(*card).medium.serial += "-other";
        });
    }
    Answer<RigJobOutcome> clear() override {
        co_return job(Clear{}, "clear", [&](RigJobOutcome& outcome) {
            if (magazine_.estop)
                latch(outcome, rigproto::Fault::estop);
            else
                magazine_.latched = false;
        });
    }
    Answer<RigJobOutcome> park() override {
        co_return job(Park{}, "park", [](RigJobOutcome&) {});
    }
    Answer<RigJobOutcome> guard(PortSet ports) override {
        co_return job(Guard{ports}, fmt::format("guard {}", ports.bits), [](RigJobOutcome&) {});
    }
    Answer<void> stop() override { co_return Result<void>{}; }
    std::string description() const override { return "fake board"; }

    void press_estop() {
        magazine_.estop = magazine_.latched = true;
        magazine_.homed = false;
        magazine_.fault = rigproto::Fault::estop;
        magazine_.powered.clear();
        show();
    }

    /// Makes the agent list exactly the powered cards.
    void show() {
        for (const std::string& node : shown_) agent_.media.erase(node);
        shown_.clear();
        for (const auto& [number, card] : magazine_.cards) {
            const std::string& place = magazine_.places[number];
            const bool in_port = place.starts_with("port ");
            const bool live =
                in_port && magazine_.powered.contains(PortIndex{static_cast<std::uint8_t>(place.back() - '0')});
            if (card.kind == FakeCard::Kind::dead) continue;
            if (live || (in_port && card.kind == FakeCard::Kind::stays)) add(card.medium);
            if (live && card.kind == FakeCard::Kind::companion) {
                media::Medium other = card.medium;
                other.node += "x";
                add(other);
            }
        }
    }

private:
    static NestReading silence() {
        NestReading reading;
        reading.report.end = rigproto::NestEnd::no_answer;
        reading.report.command = 8;
        return reading;
    }
    [[nodiscard]] NestReading reading_of(std::uint8_t card) const {
        return sample_reading(card, magazine_.cards.at(card).medium.size);
    }
    static std::string at_port(PortIndex port) { return fmt::format("port {}", port.index); }
    void add(const media::Medium& medium) {
        agent_.media[medium.node] = medium;
        shown_.push_back(medium.node);
    }
    void latch(RigJobOutcome& outcome, rigproto::Fault fault) {
        outcome.fault = magazine_.fault = fault;
        outcome.latched = magazine_.latched = true;
        magazine_.homed = false;
    }
    /// Settles open jobs as a driver does when it connects: an open job of the ledger was done if the board reports it.
    void settle_what_is_open() {
        const auto newest = log_.latest(8);
        for (const LoggedJob& job : *newest) {
            if (job.state != LoggedJob::State::intended) continue;
            const auto how = magazine_.cold                  ? LoggedJob::State::unknown
                             : job.job <= magazine_.last_job ? LoggedJob::State::done
                                                             : LoggedJob::State::refused;
            (void)log_.resolve(job.job, how, rigproto::Fault::none, 0);
        }
    }

    template <class Act>
    Result<RigJobOutcome> job(const Operation& operation, const std::string& action, const Act& act) {
        if (dead_ || killed()) return fail(Errc::io_failed, "the controller is dead");
        if (lost) return fail(Errc::io_failed, "the board is gone");
        const bool dies = dies_at && calls == *dies_at;
        ++calls;
        if (magazine_.latched && !std::holds_alternative<Clear>(operation) && !std::holds_alternative<Guard>(operation))
            return fail(Errc::rig_fault, "the rig is latched");
        auto id = log_.intend({.what = operation});
        if (!id) return fail(id.error());
        if (dies && !dies_after_the_act) return die();
        RigJobOutcome outcome{.job = *id};
        magazine_.last_job = *id;
        act(outcome);
        magazine_.actions.push_back(action);
        show();
        if (dies) return die();
        const bool done = outcome.fault == rigproto::Fault::none;
        auto kept =
            log_.resolve(*id, done ? LoggedJob::State::done : LoggedJob::State::failed, outcome.fault, outcome.detail);
        if (!kept) return fail(kept.error());
        return outcome;
    }
    Result<RigJobOutcome> die() {
        dead_ = true;
        if (on_death) on_death();
        if (power_goes_too) {
            magazine_.powered.clear();
            magazine_.homed = false;
            magazine_.cold = true;
            magazine_.remembered.clear();
            magazine_.last_job = 0;
        }
        return fail(Errc::store_failed, "the controller is dead");
    }

    FakeMagazine& magazine_;
    NestReading reading_;
    RigLog& log_;
    agent::FakeAgentLink& agent_;
    rigproto::HelloReply hello_;
    std::vector<std::string> shown_;
    bool dead_{};
};

} // namespace mediarig::rig
