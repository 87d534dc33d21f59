// SPDX-License-Identifier: GPL-3.0-or-later
/// Plays random sequences of jobs with one or two random faults at random moments, and with everyday events: power
/// failures, torn labels, a weak pump, spikes on wires, the wrong rig file. With any single fault, no card is powered
/// while the cup is in its reader, no card is pushed onto another card, and nothing moves without a request. Two faults
/// may defeat a protection; docs/guide/rig-safety.md lists these pairs. MEDIARIG_THOROUGH=1 tries more of them.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/firmware/scripts/scripted_host.hpp"

using namespace mediarig;
using plant::milliseconds;
using plant::Nanoseconds;
using rigproto::Op;

namespace {

constexpr std::uint8_t pockets = 6, readers = 3;
constexpr Nanoseconds poll_interval = milliseconds(1);
constexpr Nanoseconds longest_job = milliseconds(90'000);
constexpr Nanoseconds parks_after = milliseconds(29'700); // the last heartbeat was up to 250 ms before the silence

/// History of one rig in words, and its forbidden events.
class Drill {
public:
    Drill(unsigned start, unsigned faults)
        : random_(start),
          faults_(faults),
          plant_(plant::simulated_plant(pockets, readers)),
          board_(plant_, retained_, {}),
          host_(board_) {}

    void run() {
        for (Planned& fault : faults_) choose(fault);
        introduce();
        look_into_readers();
        (void)job<rigproto::HomeRequest>(Op::home, {});
        const unsigned count = below(8) + 8;
        for (unsigned i = 0; i < count && wrong_.empty(); ++i) {
            act();
            if (below(6) == 0) live_through_a_day();
            if (below(3) == 0) pass(milliseconds(below(400)));
            recover();
        }
        pass(milliseconds(4'000));
        judge();
    }
    [[nodiscard]] const std::vector<std::string>& wrong() const { return wrong_; }
    [[nodiscard]] const std::string& told() const { return told_; }
    [[nodiscard]] bool pump_failed() const { return pump_failed_ || has("the pump fails"); }
    /// True if one of the faults contains these words.
    [[nodiscard]] bool has(std::string_view words) const {
        return std::ranges::any_of(faults_,
                                   [&](const Planned& fault) { return fault.what.find(words) != std::string::npos; });
    }

private:
    struct Planned {
        std::string what;
        Nanoseconds at{};
    };

    /// Memory at power-up: not zeros.
    struct ColdMemory : firmware::Retained {
        ColdMemory() { std::memset(static_cast<void*>(this), 0xA5, sizeof *this); }
    };

    unsigned below(unsigned end) { return static_cast<unsigned>(random_() % end); }
    void tell(const std::string& text) { told_ += "\n  " + std::to_string(board_.now() / 1'000'000) + " ms: " + text; }

    void choose(Planned& fault) {
        const std::string port = std::to_string(below(readers) + 1), card = std::to_string(below(pockets) + 1);
        const std::string steps = std::to_string(below(2) == 0 ? 600 : below(1'500) + 1);
        const std::string where =
            std::to_string(below(2) == 0 ? 5'200 + 600 * below(readers) + below(24) : below(12'500));
        const std::string sign = below(2) == 0 ? "-" : "";
        const std::string lasting = " for " + std::to_string(below(2'000) + 1) + " ms";
        const std::vector<std::string> faults{"the x flag is stuck covered",
                                              "the x flag is stuck open",
                                              "the z flag is stuck covered",
                                              "the z flag is stuck open",
                                              "the comb sensor is stuck covered",
                                              "the comb sensor is stuck open",
                                              "the vacuum sensor is stuck high",
                                              "the vacuum sensor is stuck low",
                                              "the nest's switch is stuck on the vacuum",
                                              "the nest's switch is stuck on the nest",
                                              "card-detect of reader " + port + " is broken",
                                              "card-detect of reader " + port + " is stuck closed",
                                              "the x motor loses " + steps + " steps",
                                              "the z motor loses " + steps + " steps",
                                              "the carriage jams at " + where,
                                              "the carriage is pushed by " + sign + steps + " steps",
                                              "the driver reports an error" + lasting,
                                              "the pump fails" + lasting,
                                              "the e-stop is pressed" + lasting,
                                              "the door is opened" + lasting,
                                              "port " + port + " is shorted",
                                              "port " + port + " is welded",
                                              "port " + port + " is stuck on",
                                              "port " + port + " has no voltage",
                                              "port " + port + " is back-fed",
                                              "port " + port + " discharges slowly",
                                              "port " + port + " cuts off alone",
                                              "port " + port + " reads 0 mV",
                                              "card " + card + " is bent",
                                              "card " + card + " is slippery",
                                              "card " + card + " is porous",
                                              "card " + card + " sticks in readers",
                                              "card " + card + " clings to the cup",
                                              "the jaw sticks closed",
                                              "the jaw sticks open",
                                              "hang",
                                              "power",
                                              "silence",
                                              "stop"};
        fault.what = faults[below(static_cast<unsigned>(faults.size()))];
        fault.at = milliseconds(below(60'000) + 500);
        told_ += (told_.empty() ? "after " : ", after ") + std::to_string(fault.at / 1'000'000) + " ms: " + fault.what;
    }
    // A port that is stuck on may come up under the cup, or while the cup goes down. Then the only requirement is that
    // motion stops within 20 ms.
    [[nodiscard]] bool live_by_itself() const { return has("is stuck on") || has("back-fed"); }
    [[nodiscard]] bool blind() const { return has("stuck closed"); }

    void strike(Planned& fault) {
        fault.at = ~Nanoseconds{};
        tell(fault.what);
        if (fault.what == "hang") {
            board_.hang();
            ended_at_ = board_.now(); // queued steps are still made
            pending_.reset();
        } else if (fault.what == "power") {
            lose_power();
        } else if (fault.what == "silence") {
            host_.be_silent(true);
            silent_since_ = board_.now();
            silent_until_ = board_.now() + milliseconds(below(45'000) + 500);
        } else if (fault.what == "stop") {
            if (!host_.stop()) tell("the stop is not confirmed");
        } else if (const auto said = plant_.say(fault.what, board_.now()); !said) {
            wrong_.push_back("the plant refuses the fault: " + said.error());
        }
        if (live_by_itself() && live_since_ == 0) {
            live_since_ = board_.now();
            reached_before_ = plant_.hazards().reached_into_live_port;
        }
        if (fault.what == "the z flag is stuck open" && !pending_ && off_until_ == 0) falls_since_ = board_.now();
    }

    void lose_power() {
        board_.cut_power();
        pending_.reset();
        off_until_ = board_.now() + milliseconds(below(8'000) + 1);
    }

    /// Adds an everyday event, which is no fault of the rig, to the fault of this drill.
    void live_through_a_day() {
        const std::string card = std::to_string(below(pockets) + 1);
        constexpr std::array wires{"x flag", "z flag", "comb sensor", "driver's input"};
        switch (below(5)) {
            case 0:
                tell("the power goes");
                lose_power();
                pass(milliseconds(9'000));
                introduce();
                return;
            case 1:
                return say("card " + card + " is porous");
            case 2:
                pump_failed_ = true;
                return say("the pump fails for 3000 ms");
            case 3:
                return say("after " + std::to_string(below(2'000) + 1) + " ms, the " + wires[below(wires.size())] +
                           " has a spike");
            default:
                take_the_wrong_file();
        }
    }

    /// The rig restarts, receives a configuration without a carriage, and is then requested to switch its ports on.
    void take_the_wrong_file() {
        tell("it hangs, and the wrong rig file comes");
        board_.hang();
        ended_at_ = board_.now();
        pending_.reset();
        pass(milliseconds(700));
        rigproto::Config bank = plant_.config().geometry;
        bank.pockets = 0;
        for (unsigned attempt = 0; attempt < 20 && !host_.greet(); ++attempt) pass(milliseconds(100));
        pass(milliseconds(100));
        if (host_.configure(bank))
            for (std::uint8_t port = 0; port < readers; ++port)
                (void)job<rigproto::PowerRequest>(Op::power, {.port = port, .on = 1});
        introduce();
    }

    void say(const std::string& sentence) {
        tell(sentence);
        if (const auto said = plant_.say(sentence, board_.now()); !said)
            wrong_.push_back("the plant refuses the everyday event: " + said.error());
    }

    /// The Z flag opened without a request: everything is switched off.
    void watch_falling() {
        if (falls_since_ == 0 || board_.now() < falls_since_ + milliseconds(20)) return;
        falls_since_ = 0;
        if (plant_.actuators().ports_on != 0) report("a port still has voltage 20 ms after the Z flag opened");
    }

    void step() {
        const std::uint64_t before = steps();
        for (Planned& fault : faults_)
            if (board_.now() >= fault.at) strike(fault);
        if (off_until_ != 0 && board_.now() >= off_until_) {
            off_until_ = 0;
            board_.restore_power();
        }
        host_.run(poll_interval);
        if (live_since_ != 0 && board_.now() <= live_since_ + milliseconds(20))
            reached_at_once_ = plant_.hazards().reached_into_live_port - reached_before_;
        watch_falling();
        // A finished job may have made its last steps in this millisecond.
        const bool asked_for = pending_.has_value() || board_.now() < ended_at_ + milliseconds(30);
        const bool parks = silent_since_ != 0 && board_.now() >= silent_since_ + parks_after;
        if (steps() != before && !asked_for && !parks) report("an axis moved without a request");
        if (pending_ && host_.end_of(*pending_)) {
            ended_at_ = board_.now();
            pending_.reset();
        }
        for (std::uint8_t port = 0; port < readers; ++port) {
            unsigned inside = 0;
            for (std::uint8_t card = 0; card < pockets; ++card)
                if (plant_.cards()[card].where == plant::Card::CardPlace::port && plant_.cards()[card].index == port)
                    ++inside;
            if (inside > 1) report("two cards are in one reader");
        }
    }
    void pass(Nanoseconds time) {
        for (const Nanoseconds end = board_.now() + time; board_.now() < end && wrong_.empty();) step();
    }
    [[nodiscard]] std::uint64_t steps() const {
        return std::uint64_t{plant_.steps_made(rigproto::Axis::x)} + plant_.steps_made(rigproto::Axis::z);
    }
    void report(const std::string& what) {
        tell(what);
        if (wrong_.empty()) wrong_.push_back(what);
    }

    /// HELLO and configuration, repeated as needed: the board may be off, hang or be starting.
    void introduce() {
        for (unsigned attempt = 0; attempt < 200 && wrong_.empty(); ++attempt) {
            if (host_.greet() && host_.configure(plant_.config().geometry)) {
                pass(milliseconds(60));
                return;
            }
            pass(milliseconds(100));
        }
        report("the board cannot be greeted and configured any more");
    }

    /// Waits until the job ends or times out. Returns true if the job is done.
    template <class Request>
    bool job(Op op, Request request) {
        if (silent_until_ != 0) {
            while (board_.now() < silent_until_ && wrong_.empty()) step();
            silent_until_ = 0;
            introduce();
            silent_since_ = 0;
        }
        request.job = ++job_;
        auto answer = host_.ask(op, request);
        if (!answer || answer->rejection.reject == rigproto::Reject::no_session ||
            answer->rejection.reject == rigproto::Reject::lease_lost) {
            introduce();
            answer = host_.ask(op, request);
        }
        if (!answer || answer->rejection.reject != rigproto::Reject::none) {
            tell("job " + std::to_string(job_) + ", operation " + std::to_string(static_cast<int>(op)) + ": " +
                 (answer ? "refused, " + std::to_string(static_cast<int>(answer->rejection.reject)) + " " +
                               std::to_string(static_cast<int>(answer->rejection.interlock))
                         : "no answer"));
            return false;
        }
        pending_ = job_;
        for (const Nanoseconds end = board_.now() + longest_job; pending_ && board_.now() < end && wrong_.empty();) {
            step();
            if (silent_until_ != 0) return false;
        }
        const auto end = host_.end_of(job_);
        tell("job " + std::to_string(job_) + ", operation " + std::to_string(static_cast<int>(op)) + ": " +
             (!end        ? "no end"
              : end->done ? "done"
                          : "failed, " + std::to_string(static_cast<int>(end->fault))));
        pending_.reset();
        return end && end->done;
    }

    void act() {
        const auto port = static_cast<std::uint8_t>(below(readers)), pocket = static_cast<std::uint8_t>(below(pockets));
        using To = rigproto::UnloadRequest::To;
        switch (below(12)) {
            case 0:
            case 1:
            case 2:
            case 3:
                if (job<rigproto::LoadRequest>(Op::load, {.pocket = pocket, .port = port}) && below(2) == 0)
                    (void)job<rigproto::PowerRequest>(Op::power, {.port = port, .on = 1});
                break;
            case 4:
            case 5:
                (void)job<rigproto::PowerRequest>(Op::power, {.port = port, .on = 1});
                break;
            case 6:
                (void)job<rigproto::PowerRequest>(Op::power, {.port = port, .on = 0});
                break;
            case 7:
            case 8:
            case 9:
                if (below(2) == 0) (void)job<rigproto::PowerRequest>(Op::power, {.port = port, .on = 0});
                // The operator may name a pocket that contains a card. The probe cannot find a card that holds no
                // vacuum (docs/guide/rig-safety.md).
                if (below(2) == 0 && !holds_porous_card(pocket))
                    (void)job<rigproto::UnloadRequest>(Op::unload, {.port = port, .to = To::pocket, .index = pocket});
                else
                    (void)job<rigproto::UnloadRequest>(
                        Op::unload, {.port = port, .to = To::bin, .index = static_cast<std::uint8_t>(pocket % 4U)});
                break;
            case 10:
                (void)job<rigproto::JogRequest>(
                    Op::jog, {.axis = rigproto::Axis::x, .position = static_cast<std::int32_t>(below(12'500))});
                break;
            default:
                if (job<rigproto::JogRequest>(
                        Op::jog, {.axis = rigproto::Axis::z, .position = static_cast<std::int32_t>(below(1'001))}))
                    for (std::uint8_t reader = 0; reader < readers; ++reader)
                        (void)job<rigproto::PowerRequest>(Op::power, {.port = reader, .on = 1});
        }
    }

    [[nodiscard]] bool holds_porous_card(std::uint8_t pocket) const {
        const std::uint8_t card = plant_.cards().in_pocket(pocket);
        return card != plant::no_card && plant_.cards()[card].porous;
    }

    /// Recovery by the operator: inspect, clear, home.
    void recover() {
        const auto status = host_.status();
        if (!status) return;
        // A careful operator takes the card off the cup, a careless one does not look.
        if (status->fault == rigproto::Fault::card_clings && below(2) == 0) say("the cup is emptied by hand");
        if (status->state == rigproto::State::latched) (void)job<rigproto::ClearRequest>(Op::clear, {});
        if (status->state == rigproto::State::latched || status->state == rigproto::State::unhomed ||
            status->state == rigproto::State::parked)
            (void)job<rigproto::HomeRequest>(Op::home, {});
        if ((status->occupied | status->unproven) != 0 && below(3) == 0) look_into_readers();
    }

    /// Inspects the readers and declares the empty ones.
    void look_into_readers() {
        std::uint8_t empty = 0;
        for (std::uint8_t port = 0; port < readers; ++port)
            if (plant_.cards().in_port(port) == plant::no_card) empty |= static_cast<std::uint8_t>(1U << port);
        if (empty != 0) (void)job<rigproto::EmptyRequest>(Op::empty, {.ports = empty});
    }

    void judge() {
        plant::Hazards seen = plant_.hazards();
        if (live_by_itself()) seen.pressed_into_live_port = seen.card_moved_under_voltage = 0;
        seen.reached_into_live_port -= reached_at_once_;
        if (blind()) seen.empty_reader_switched_on = 0;
        for (const std::string_view name : plant::names_of(seen)) report(std::string(name));
    }

    std::mt19937 random_;
    std::vector<Planned> faults_;
    ColdMemory retained_;
    plant::Plant plant_;
    board::VirtualBoard board_;
    scenario::ScriptedHost host_;
    std::string told_;
    Nanoseconds falls_since_{}, live_since_{}, off_until_{}, silent_since_{}, silent_until_{}, ended_at_{};
    std::uint32_t reached_before_{}, reached_at_once_{}; // until the port became live, and in the 20 ms after it
    bool pump_failed_{};                                 // an everyday event has made the pump fail
    std::uint32_t job_{};
    std::optional<std::uint32_t> pending_; ///< accepted and not ended
    std::vector<std::string> wrong_;
};

/// True for the forbidden event that docs/guide/rig-safety.md explains. While the pump is dead, grip test and probe
/// find no card. If the pump works again before the pick, a wrongly requested or clinging card meets another card.
bool is_listed(const Drill& drill, const std::string& hazard) {
    return hazard == "a card was pushed onto another one" && drill.pump_failed();
}

/// Runs drills with this number of faults each and prints their hazards. Returns the faults and the hazard of each
/// unlisted hazard.
std::vector<std::pair<std::string, std::string>> drill(unsigned faults, unsigned sample) {
    const char* first = std::getenv("MEDIARIG_START");
    const char* thorough = std::getenv("MEDIARIG_THOROUGH");
    const unsigned from = first != nullptr ? static_cast<unsigned>(std::atoi(first)) : 1;
    const unsigned count = first != nullptr                                           ? 1
                           : thorough != nullptr && std::string_view(thorough) == "1" ? 400
                                                                                      : sample;
    std::vector<std::pair<std::string, std::string>> unlisted;
    std::map<std::string, unsigned> hazards;
    unsigned bad = 0;
    for (unsigned start = from; start < from + count; ++start) {
        Drill drill(start, faults);
        drill.run();
        if (first != nullptr) std::cout << "start value " << start << ", " << drill.told() << "\n";
        if (!drill.wrong().empty()) ++bad;
        for (const std::string& wrong : drill.wrong()) {
            const bool known = is_listed(drill, wrong);
            ++hazards[(known ? "listed: " : "UNLISTED: ") + wrong];
            if (known) continue;
            unlisted.emplace_back(drill.told().substr(0, drill.told().find('\n')), wrong);
            std::cout << "start value " << start << ": " << wrong << "\n" << drill.told() << "\n";
        }
    }
    std::cout << faults << (faults == 1 ? " random fault" : " random faults") << ": start values " << from << " to "
              << from + count - 1 << ", " << bad << " of " << count << " with a hazard\n";
    for (const auto& [hazard, times] : hazards) std::cout << "  " << times << " x " << hazard << "\n";
    return unlisted;
}

} // namespace

TEST_CASE("one random fault in a random sequence of jobs causes no forbidden event") {
    CHECK(drill(1, 25).empty());
}

TEST_CASE("two random faults cause a forbidden event only if docs/guide/rig-safety.md lists their pair") {
    for (const auto& [faults, hazard] : drill(2, 25)) CHECK((faults + ": " + hazard) == "a listed pair");
}
