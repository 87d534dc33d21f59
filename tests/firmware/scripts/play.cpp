// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/firmware/scripts/play.hpp"

#include <cstring>
#include <functional>
#include <map>
#include <optional>

#include "host/rig/port/nest_reading.hpp"
#include "host/rig/port/rig_text.hpp"
#include "tests/firmware/scripts/scripted_host.hpp"

namespace mediarig::scenario {

using plant::milliseconds;
using plant::Nanoseconds;
using rigproto::Axis;
using rigproto::Op;

namespace {

constexpr Nanoseconds soon = milliseconds(3'000); ///< time limit for an expected state
constexpr Nanoseconds job_limit = milliseconds(120'000);
constexpr Nanoseconds poll_interval = milliseconds(1);

/// Memory at power-up: not zeros.
struct ColdMemory {
    ColdMemory() { std::memset(static_cast<void*>(&retained), 0xA5, sizeof retained); }
    firmware::Retained retained;
};

plant::PlantConfig rig_of(const Scenario& scenario) {
    plant::PlantConfig config = plant::simulated_plant(scenario.rig.pockets, scenario.rig.ports);
    if (!scenario.full) config.full_pockets = 0;
    return config;
}

std::string refusal_of(rigproto::Rejection rejection) {
    return std::string(rejection.reject == rigproto::Reject::interlock ? rig::name_of(rejection.interlock)
                                                                       : rig::name_of(rejection.reject));
}

class Player {
public:
    explicit Player(const Scenario& scenario)
        : plant_(rig_of(scenario)), board_(plant_, memory_.retained, {}), host_(board_) {}

    /// Executes the line. Returns the reason of a failure; empty on success.
    std::string act(const Line& line);
    [[nodiscard]] const plant::Plant& plant() const { return plant_; }
    void rest() { host_.run(milliseconds(100)); }
    std::string say(const std::string& sentence) {
        const auto said = plant_.say(sentence, board_.now());
        return said ? "" : said.error();
    }
    /// A careless operator: clears and homes a latched rig without a look at it.
    void recover();

private:
    std::string request(const Line& line);
    std::string expect(const Line& line);
    std::string expect_job(const Line& line);
    std::string expect_stillness(const Line& line);
    std::string expect_card(const Line& line);

    template <class Message>
    std::string ask(std::uint32_t job, Op op, const Message& message) {
        const auto answer = host_.ask(op, message);
        if (!answer) return "the board did not answer";
        answers_[job] = answer->rejection;
        return {};
    }
    /// Returns the number of a job on the wire, which differs from its number in the script because of jobs of the
    /// operator.
    [[nodiscard]] std::uint32_t on_wire(std::uint32_t job) {
        const auto [found, added] = wire_.try_emplace(job, last_on_wire_ + 1);
        if (added) ++last_on_wire_;
        return found->second;
    }
    std::string greet();
    /// Lets time pass until the condition holds.
    bool becomes(const std::function<bool()>& so, Nanoseconds within);
    std::string state_becomes(const std::string& wanted, const std::string& fault);
    [[nodiscard]] std::uint64_t steps() const {
        return std::uint64_t{plant_.steps_made(Axis::x)} + plant_.steps_made(Axis::z);
    }
    void count_insertions() {
        for (const plant::PlantEvent& event : plant_.take_events())
            if (event.kind == plant::PlantEvent::Kind::card_inserted) ++insertions_;
    }

    ColdMemory memory_;
    plant::Plant plant_;
    board::VirtualBoard board_;
    ScriptedHost host_;
    std::map<std::uint32_t, rigproto::Rejection> answers_;
    std::map<std::uint32_t, std::uint32_t> wire_;
    std::uint32_t last_on_wire_{};
    std::uint32_t recoveries_{};
    std::int64_t insertions_{};
};

void Player::recover() {
    constexpr std::uint32_t beyond_any_script = 1'000'000;
    if (!host_.hello()) return;
    const auto status = host_.status();
    if (!status || status->state != rigproto::State::latched) return;
    const auto job = [&](Op op, auto request) {
        const std::uint32_t name = beyond_any_script + ++recoveries_;
        request.job = on_wire(name);
        if (!ask(name, op, request).empty() || answers_[name].reject != rigproto::Reject::none) return;
        (void)becomes([&] { return host_.end_of(request.job).has_value(); }, job_limit);
    };
    job(Op::clear, rigproto::ClearRequest{});
    job(Op::home, rigproto::HomeRequest{});
}

bool Player::becomes(const std::function<bool()>& so, Nanoseconds within) {
    for (const Nanoseconds end = board_.now() + within; board_.now() < end; host_.run(poll_interval))
        if (so()) return true;
    return so();
}

std::string Player::greet() {
    if (!host_.greet()) return "the board did not answer HELLO";
    if (!host_.configure(plant_.config().geometry)) return "the board did not take the configuration";
    const bool first = answers_.empty();
    // In its first milliseconds the board reads its contacts before it reports its position.
    const auto started = [&] {
        const auto status = host_.status();
        return status && status->state != rigproto::State::boot;
    };
    if (!becomes(started, soon)) return "the board does not get beyond its start";
    if (!first) return {};
    // The readers of a new scenario are known to be empty.
    const auto all = static_cast<std::uint8_t>((1U << plant_.config().geometry.ports) - 1U);
    return ask(0, Op::empty, rigproto::EmptyRequest{on_wire(0), all});
}

std::string Player::act(const Line& line) {
    switch (line.say) {
        case Say::injection:
            plant_.cause(line.injection, board_.now());
            return {};
        case Say::greet:
            return greet();
        case Say::greet_only:
            return host_.greet() ? "" : "the board did not answer HELLO";
        case Say::silence:
            host_.be_silent(true);
            return {};
        case Say::silence_for:
            host_.be_silent(true);
            host_.run(static_cast<Nanoseconds>(line.gaps.values[0]));
            host_.be_silent(false);
            return {};
        case Say::stop:
            return host_.stop() ? "" : "the board did not confirm";
        case Say::pass:
            host_.run(static_cast<Nanoseconds>(line.gaps.values[0]));
            return {};
        case Say::hang:
            board_.hang();
            return {};
        case Say::power_fails:
            board_.cut_power();
            return {};
        case Say::power_returns:
            board_.restore_power();
            return {};
        default:
            break;
    }
    return line.say < Say::job_done ? request(line) : expect(line);
}

std::string Player::request(const Line& line) {
    const auto number = [&](std::size_t i) { return static_cast<std::uint8_t>(line.gaps.values[i]); };
    const auto asked = line.gaps.values.empty() ? 0U : static_cast<std::uint32_t>(line.gaps.values[0]);
    const std::uint32_t job = on_wire(asked);
    using To = rigproto::UnloadRequest::To;
    switch (line.say) {
        case Say::home:
            return ask(asked, Op::home, rigproto::HomeRequest{job});
        case Say::load:
            return ask(asked, Op::load, rigproto::LoadRequest{job, number(1), number(2)});
        case Say::unload_to_pocket:
            return ask(asked, Op::unload, rigproto::UnloadRequest{job, number(1), To::pocket, number(2)});
        case Say::unload_to_bin:
            return ask(asked, Op::unload, rigproto::UnloadRequest{job, number(1), To::bin, number(2)});
        case Say::switch_on:
            return ask(asked, Op::power, rigproto::PowerRequest{job, number(1), 1});
        case Say::switch_off:
            return ask(asked, Op::power, rigproto::PowerRequest{job, number(1), 0});
        case Say::clear:
            return ask(asked, Op::clear, rigproto::ClearRequest{job});
        case Say::park:
            return ask(asked, Op::park, rigproto::ParkRequest{job});
        case Say::jog:
            return ask(asked, Op::jog,
                       rigproto::JogRequest{job, static_cast<Axis>(number(1)),
                                            static_cast<std::int32_t>(line.gaps.values[2])});
        case Say::guard:
            return ask(asked, Op::guard, rigproto::GuardRequest{job, static_cast<std::uint8_t>(1U << number(1))});
        case Say::guard_none:
            return ask(asked, Op::guard, rigproto::GuardRequest{job, 0});
        case Say::identify:
            return ask(asked, Op::identify, rigproto::IdentifyRequest{job, number(1)});
        case Say::read_nest:
            return ask(asked, Op::nest_read, rigproto::NestReadRequest{job});
        case Say::reconfigure: {
            rigproto::Config config = plant_.config().geometry;
            config.ports = number(0);
            return ask(0, Op::config, config);
        }
        case Say::reconfigure_without_carriage: {
            rigproto::Config config = plant_.config().geometry;
            config.pockets = 0;
            return ask(0, Op::config, config);
        }
        case Say::declare_empty:
            return ask(asked, Op::empty, rigproto::EmptyRequest{job, static_cast<std::uint8_t>(1U << number(1))});
        default:
            return "this sentence has no meaning";
    }
}

std::string Player::expect(const Line& line) {
    const auto number = [&](std::size_t i) { return static_cast<std::uint8_t>(line.gaps.values[i]); };
    switch (line.say) {
        case Say::rig_is:
            return state_becomes(line.gaps.names[0], "");
        case Say::rig_latched:
            return state_becomes("latched", line.gaps.names[0]);
        case Say::still_for:
        case Say::safe_within:
        case Say::still_within:
            return expect_stillness(line);
        case Say::port_is: {
            std::string seen = "did not answer";
            const bool became = becomes(
                [&] {
                    if (const auto port = host_.port(number(0))) seen = rig::name_of(port->state);
                    return seen == line.gaps.names[0];
                },
                soon);
            return became ? "" : "it is " + seen;
        }
        case Say::voltage_gone:
        case Say::voltage_there: {
            const bool wanted = line.say == Say::voltage_there;
            const auto millivolts = [&] { return plant_.sense().ports[number(0)].millivolts; };
            if (becomes([&] { return (millivolts() >= 500) == wanted; }, soon)) return {};
            return "there are " + std::to_string(millivolts()) + " mV";
        }
        case Say::motors_off:
            return becomes([&] { return !plant_.actuators().motors_on; }, soon) ? "" : "they are on";
        case Say::supply_off:
        case Say::supply_on:
            return plant_.powered() == (line.say == Say::supply_on) ? "" : "it is otherwise";
        case Say::pump_off:
            return becomes([&] { return !plant_.actuators().pump; }, soon) ? "" : "it is on";
        case Say::nest_on:
        case Say::nest_off: {
            const bool wanted = line.say == Say::nest_on;
            return becomes([&] { return plant_.actuators().nest_power == wanted; }, soon) ? "" : "it is otherwise";
        }
        case Say::nest_says: {
            const auto answer = host_.ask(Op::nest);
            const auto report = answer ? rigproto::decode<rigproto::NestReply>(answer->payload) : std::nullopt;
            if (!report) return "the board did not answer";
            const auto said = rig::name_of(report->end);
            return said == line.gaps.names[0] ? "" : "it says " + std::string(said);
        }
        case Say::reset_by: {
            if (!host_.hello()) return "the host did not greet the rig";
            const auto reason = rig::name_of(host_.hello()->reset);
            return reason == line.gaps.names[0] ? "" : "it says " + std::string(reason);
        }
        case Say::hears_of:
            return becomes([&] { return host_.heard_of(line.gaps.names[0]); }, soon) ? "" : "it did not";
        case Say::happened:
            count_insertions();
            return insertions_ == line.gaps.values[0] ? "" : "there were " + std::to_string(insertions_);
        case Say::job_done:
        case Say::job_fails:
        case Say::job_refused:
        case Say::job_accepted:
            return expect_job(line);
        case Say::config_taken:
        case Say::config_refused: {
            const std::string refusal = refusal_of(answers_[0]);
            return refusal == (line.say == Say::config_taken ? "none" : line.gaps.names[0])
                       ? ""
                       : "the answer was " + refusal;
        }
        default:
            return expect_card(line);
    }
}

std::string Player::state_becomes(const std::string& wanted, const std::string& fault) {
    std::string seen = "silent";
    const bool became = becomes(
        [&] {
            const auto status = host_.status();
            if (!status) return false;
            seen = rig::name_of(status->state);
            if (status->fault != rigproto::Fault::none) seen += " with " + std::string(rig::name_of(status->fault));
            return rig::name_of(status->state) == wanted && (fault.empty() || rig::name_of(status->fault) == fault);
        },
        soon);
    return became ? "" : "it is " + seen;
}

std::string Player::expect_job(const Line& line) {
    const auto job = static_cast<std::uint32_t>(line.gaps.values[0]);
    const auto asked = answers_.find(job);
    if (asked == answers_.end()) return "no such job was requested";
    const rigproto::Rejection rejection = asked->second;
    const std::string refusal = refusal_of(rejection);
    if (line.say == Say::job_refused)
        return refusal == line.gaps.names[0]                ? ""
               : rejection.reject == rigproto::Reject::none ? "it was accepted"
                                                            : "it was refused with " + refusal;
    if (rejection.reject != rigproto::Reject::none) return "it was refused with " + refusal;
    if (line.say == Say::job_accepted) return {};
    if (!becomes([&] { return host_.end_of(on_wire(job)).has_value(); }, job_limit)) return "it has not ended";
    const auto end = *host_.end_of(on_wire(job));
    const std::string seen = end.done ? "it is done" : "it failed with " + std::string(rig::name_of(end.fault));
    if (line.say == Say::job_done) return end.done ? "" : seen;
    return !end.done && rig::name_of(end.fault) == line.gaps.names[0] ? "" : seen;
}

std::string Player::expect_stillness(const Line& line) {
    const auto time = static_cast<Nanoseconds>(line.gaps.values[0]);
    if (line.say == Say::safe_within) {
        const Nanoseconds from = board_.now();
        const bool safe = becomes([&] { return plant_.actuators() == plant::Actuators{}; }, time);
        return safe && board_.now() <= from + time ? "" : "they are not";
    }
    if (line.say == Say::still_within) host_.run(time);
    const std::uint64_t before = steps();
    host_.run(line.say == Say::still_for ? time : milliseconds(500));
    return steps() == before ? "" : "there were " + std::to_string(steps() - before) + " steps";
}

std::string Player::expect_card(const Line& line) {
    const auto number = [&](std::size_t i) { return static_cast<std::uint8_t>(line.gaps.values[i]); };
    using CardPlace = plant::Card::CardPlace;
    const plant::Cards& cards = plant_.cards();
    const auto is_at = [&](std::uint8_t card, CardPlace where, std::uint8_t index) {
        return cards[card].where == where && cards[card].index == index;
    };
    switch (line.say) {
        case Say::reader_holds:
            return becomes([&] { return is_at(number(1), CardPlace::port, number(0)); }, soon) ? "" : "it does not";
        case Say::reader_empty:
            return becomes([&] { return cards.in_port(number(0)) == plant::no_card; }, soon) ? "" : "it is not";
        case Say::pocket_holds:
            return is_at(number(1), CardPlace::pocket, number(0)) ? "" : "it does not";
        case Say::pocket_empty:
            return cards.in_pocket(number(0)) == plant::no_card ? "" : "it is not";
        case Say::bin_holds:
            return is_at(number(1), CardPlace::bin, number(0)) ? "" : "it does not";
        case Say::card_lost:
            return cards[number(0)].where == CardPlace::lost ? "" : "it is not";
        case Say::card_hangs:
            return cards[number(0)].where == CardPlace::cup ? "" : "it does not";
        default:
            return "this sentence has no meaning";
    }
}

} // namespace

Played play(const Scenario& scenario) {
    return play(scenario, {}, Purpose::expectations);
}

Played play(const Scenario& scenario, const std::vector<std::string>& injections, Purpose purpose) {
    Player player(scenario);
    Played played;
    for (const std::string& sentence : injections)
        if (const std::string failure = player.say(sentence); !failure.empty()) played.failures.push_back(failure);
    for (const Line& line : scenario.lines) {
        const bool hazards_only = purpose == Purpose::hazards;
        if (hazards_only) player.recover();
        const std::string failure = player.act(line);
        if (failure.empty() || hazards_only) continue;
        played.failures.push_back("line " + std::to_string(line.number) + ", " + line.text + ": " + failure);
        break;
    }
    player.rest();
    for (const std::string_view hazard : plant::names_of(player.plant().hazards())) {
        played.hazards.emplace_back(hazard);
        played.failures.push_back("forbidden event: " + std::string(hazard));
    }
    played.fingerprint = player.plant().fingerprint();
    played.took = player.plant().now();
    return played;
}

} // namespace mediarig::scenario
