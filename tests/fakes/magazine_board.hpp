// SPDX-License-Identifier: GPL-3.0-or-later
/// A board with cards around it: what moves there shows as block devices of a fake agent. It writes its ledger as a
/// real one does, fails where its cards do, and its controller can die at any of its calls, before or after the act.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/rig/board.hpp"
#include "host/rig/rig_log.hpp"
#include "tests/fakes/fake_agent_link.hpp"

namespace mediarig::rig {

struct FakeCard {
    media::Medium medium;
    enum class Kind : std::uint8_t {
        good,
        bent,      ///< does not go in: back to its pocket
        dead,      ///< goes in and never appears
        shorted,   ///< trips its port
        companion, ///< another device comes up with it
        stays,     ///< is still listed without its port's voltage
        impostor   ///< what comes back is another medium
    } kind{};
};

/// What outlives a controller: where the cards are, and what has voltage.
struct FakeMagazine {
    std::map<std::uint8_t, FakeCard> cards;     ///< by the pocket they began in
    std::map<std::uint8_t, std::string> places; ///< "pocket 3", "port 0", "bin 0", "cup"
    std::set<std::uint8_t> powered;             ///< ports
    bool homed{}, latched{}, estop{}, cold{true};
    rigproto::Fault fault{};
    std::uint32_t last_job{};
    std::vector<std::string> actions; ///< "load 3 -> 0", "on 0", …: what was really done

    void put(std::uint8_t pocket, FakeCard card) {
        cards[pocket] = std::move(card);
        places[pocket] = fmt::format("pocket {}", pocket);
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

    std::vector<std::uint8_t> jams;                      ///< pockets whose next load jams, latched
    std::vector<std::uint8_t> forgets;                   ///< pockets whose next load ends because the host was silent
    std::optional<std::size_t> dies_at;                  ///< index of the call, from 0, at which the controller dies
    bool dies_after_the_act{};                           ///< else before it
    bool power_goes_too{};                               ///< of the whole rig, at that moment
    bool lost{};                                         ///< its line is gone
    std::function<void()> on_death;                      ///< what dies with it
    std::function<bool()> killed = [] { return false; }; ///< by something else than dies_at
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
        for (std::uint8_t port = 0; port < rigproto::port_count; ++port) {
            if (magazine_.card_at(at_port(port))) reply.cards = static_cast<std::uint8_t>(reply.cards | 1U << port);
            if (magazine_.powered.contains(port)) reply.powered = static_cast<std::uint8_t>(reply.powered | 1U << port);
        }
        co_return reply;
    }
    Answer<rigproto::PortStatusReply> port(std::uint8_t port) override {
        rigproto::PortStatusReply reply;
        reply.port = port;
        reply.min_millivolts = 12;
        reply.off_time_us = 143'000;
        reply.ramp_us = 1'200;
        co_return reply;
    }
    Answer<JobOutcome> home() override {
        const Intent intent{.op = rigproto::Op::home};
        co_return job(intent, "home", [&](JobOutcome&) { magazine_.homed = true; });
    }
    Answer<JobOutcome> load(std::uint8_t pocket, std::uint8_t port) override {
        const Intent intent{.op = rigproto::Op::load, .place = pocket, .index = port};
        co_return job(intent, fmt::format("load {} -> {}", pocket, port), [&](JobOutcome& outcome) {
            const auto card = magazine_.card_at(fmt::format("pocket {}", pocket));
            if (!card) {
                outcome.fault = rigproto::Fault::pick_missed;
            } else if (std::erase(forgets, pocket) > 0) {
                outcome.fault = rigproto::Fault::lease;
                magazine_.homed = false;
            } else if (std::erase(jams, pocket) > 0) {
                latch(outcome, rigproto::Fault::jam);
            } else if (magazine_.cards.at(*card).kind == FakeCard::Kind::bent) {
                outcome.fault = rigproto::Fault::insert_failed;
            } else {
                magazine_.places[*card] = at_port(port);
            }
        });
    }
    Answer<JobOutcome> unload(std::uint8_t port, Destination destination) override {
        const Intent intent{.op = rigproto::Op::unload,
                            .place = port,
                            .index = destination.index,
                            .to = static_cast<std::uint8_t>(destination.to)};
        const bool home = destination.to == rigproto::UnloadRequest::To::pocket;
        const std::string to = fmt::format("{} {}", home ? "pocket" : "bin", destination.index);
        co_return job(intent, fmt::format("unload {} -> {}", port, to), [&](JobOutcome& outcome) {
            const auto card = magazine_.card_at(at_port(port));
            if (!card) outcome.fault = rigproto::Fault::eject_failed;
            if (card && magazine_.powered.contains(port)) outcome.fault = rigproto::Fault::internal;
            if (outcome.fault == rigproto::Fault::none) magazine_.places[*card] = to;
        });
    }
    Answer<JobOutcome> power_on(std::uint8_t port) override {
        const Intent intent{.op = rigproto::Op::power, .place = port, .index = 1};
        co_return job(intent, fmt::format("on {}", port), [&](JobOutcome& outcome) {
            const auto card = magazine_.card_at(at_port(port));
            if (card && magazine_.cards.at(*card).kind == FakeCard::Kind::shorted)
                outcome.fault = rigproto::Fault::port_short;
            else
                magazine_.powered.insert(port);
        });
    }
    Answer<JobOutcome> power_off(std::uint8_t port) override {
        const Intent intent{.op = rigproto::Op::power, .place = port, .index = 0};
        co_return job(intent, fmt::format("off {}", port), [&](JobOutcome&) {
            magazine_.powered.erase(port);
            const auto card = magazine_.card_at(at_port(port));
            // From its second life on it says another serial.
            if (card && magazine_.cards.at(*card).kind == FakeCard::Kind::impostor)
                magazine_.cards.at(*card).medium.serial += "-other";
        });
    }
    Answer<JobOutcome> clear() override {
        const Intent intent{.op = rigproto::Op::clear};
        co_return job(intent, "clear", [&](JobOutcome& outcome) {
            if (magazine_.estop)
                latch(outcome, rigproto::Fault::estop);
            else
                magazine_.latched = false;
        });
    }
    Answer<JobOutcome> park() override {
        const Intent intent{.op = rigproto::Op::park};
        co_return job(intent, "park", [](JobOutcome&) {});
    }
    Answer<JobOutcome> guard(std::uint8_t ports) override {
        const Intent intent{.op = rigproto::Op::guard, .place = ports};
        co_return job(intent, fmt::format("guard {}", ports), [](JobOutcome&) {});
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

    /// What has voltage is what the agent sees.
    void show() {
        for (const std::string& node : shown_) agent_.media.erase(node);
        shown_.clear();
        for (const auto& [pocket, card] : magazine_.cards) {
            const std::string& place = magazine_.places[pocket];
            const bool in_port = place.starts_with("port ");
            const bool live = in_port && magazine_.powered.contains(static_cast<std::uint8_t>(place.back() - '0'));
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
    static std::string at_port(std::uint8_t port) { return fmt::format("port {}", port); }
    void add(const media::Medium& medium) {
        agent_.media[medium.node] = medium;
        shown_.push_back(medium.node);
    }
    void latch(JobOutcome& outcome, rigproto::Fault fault) {
        outcome.fault = magazine_.fault = fault;
        outcome.latched = magazine_.latched = true;
        magazine_.homed = false;
    }
    /// As a driver does when it connects: what is still open in the ledger was done if the board says so.
    void settle_what_is_open() {
        const auto newest = log_.latest(8);
        for (const LoggedJob& job : *newest) {
            if (job.state != LoggedJob::State::intended) continue;
            const auto how = magazine_.cold                  ? LoggedJob::State::unknown
                             : job.job <= magazine_.last_job ? LoggedJob::State::done
                                                             : LoggedJob::State::refused;
            (void)log_.settle(job.job, how, rigproto::Fault::none, 0);
        }
    }

    template <class Act>
    Result<JobOutcome> job(const Intent& intent, const std::string& action, const Act& act) {
        if (dead_ || killed()) return fail(Errc::io_failed, "the controller is dead");
        if (lost) return fail(Errc::io_failed, "the board is gone");
        const bool dies = dies_at && calls == *dies_at;
        ++calls;
        if (magazine_.latched && intent.op != rigproto::Op::clear && intent.op != rigproto::Op::guard)
            return fail(Errc::rig_fault, "the rig is latched");
        auto id = log_.intend(intent);
        if (!id) return fail(id.error());
        if (dies && !dies_after_the_act) return die();
        JobOutcome outcome{.job = *id};
        magazine_.last_job = *id;
        act(outcome);
        magazine_.actions.push_back(action);
        show();
        if (dies) return die();
        const bool done = outcome.fault == rigproto::Fault::none;
        auto kept =
            log_.settle(*id, done ? LoggedJob::State::done : LoggedJob::State::failed, outcome.fault, outcome.detail);
        if (!kept) return fail(kept.error());
        return outcome;
    }
    Result<JobOutcome> die() {
        dead_ = true;
        if (on_death) on_death();
        if (power_goes_too) {
            magazine_.powered.clear();
            magazine_.homed = false;
            magazine_.cold = true;
            magazine_.last_job = 0;
        }
        return fail(Errc::store_failed, "the controller is dead");
    }

    FakeMagazine& magazine_;
    RigLog& log_;
    agent::FakeAgentLink& agent_;
    rigproto::HelloReply hello_;
    std::vector<std::string> shown_;
    bool dead_{};
};

} // namespace mediarig::rig
