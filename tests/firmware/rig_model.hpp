// SPDX-License-Identifier: GPL-3.0-or-later
/// A small model of the rig around the machine: carriage, cards, vacuum and ports in virtual time, without a link to a
/// host. It has every fault that the machine must detect, and lists forbidden events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/rigproto/simulated_rig.hpp"
#include "firmware/core/geometry.hpp"
#include "firmware/core/machine.hpp"
#include "firmware/plant/sd_card.hpp"

namespace mediarig::firmware::test {

using rigproto::Fault;
using rigproto::Interlock;
using rigproto::JobStage;
using rigproto::JobState;
using rigproto::PortState;
using rigproto::Reject;
using rigproto::Rejection;
using rigproto::State;

/// Fault of an input that should follow the rig.
enum class Sensor { true_to_life, stuck_on, stuck_off };

struct Breakage {
    Sensor x_flag{}, z_flag{}, comb{};
    std::int32_t x_flag_wanders{}, z_flag_wanders{};            ///< steps by which the edge moves on each pass
    std::int32_t x_loses{};                                     ///< number of next steps that are not made
    std::optional<std::int32_t> x_blocked_at{}, z_blocked_at{}; ///< limit of motion away from home
    bool driver_fault{};
    bool safety_open{};
    bool bent{};                                            ///< cards do not go into readers
    bool porous{};                                          ///< cards are not gripped
    bool vacuum_unseen{};                                   ///< the vacuum sensor is not measured
    std::uint32_t nest_offset_ua{};                         ///< offset of the supply current measurement
    bool vent_stuck{};                                      ///< vacuum persists
    bool jaw_stuck{};                                       ///< the jaw does not open
    bool clings{};                                          ///< a released card stays on the cup
    bool slips_in_reader{};                                 ///< the cup lifts without the card
    std::optional<std::int32_t> drops_at_x{}, drops_at_z{}; ///< the card falls off when the cup passes this position
    std::uint8_t detect_stuck{};                            ///< card-detect is stuck closed
    std::uint8_t shorted{}, dead{}, welded{}, slow{}, cut_off{}; ///< ports; `dead`: no voltage appears
    std::array<std::uint16_t, port_count> load_ma{100, 100, 100, 100, 100, 100, 100, 100};
};

[[nodiscard]] inline bool done(const rigproto::JobStatusReply& job) {
    return job.state == JobState::done;
}
[[nodiscard]] inline Rejection refused_by(Interlock interlock) {
    return {Reject::interlock, interlock};
}

struct Told {
    rigproto::EventKind kind{};
    std::vector<std::uint8_t> bytes;
};

class RigModel {
public:
    explicit RigModel(rigproto::Config config = rigproto::simulated_rig());

    // ---- actions of a test ----------------------------------------------------------------------------------------

    /// One tick.
    void tick();
    void pass(std::uint64_t us);
    /// Runs until the condition holds. Returns false if it does not hold after `us` microseconds.
    template <class Condition>
    bool until(Condition condition, std::uint64_t us = 60'000'000) {
        for (const std::uint64_t end = now_us + us; now_us < end;) {
            if (condition()) return true;
            tick();
        }
        return condition();
    }

    /// Requests a job as the link does, and records an accepted job.
    template <class Request>
    Rejection ask(Request request) {
        request.job = last_job + 1;
        const Rejection rejection = machine.begin(RigCommand{request}, now_us);
        if (rejection.reject == Reject::none) events.jobs().accept(++last_job, 1);
        return rejection;
    }
    /// Requests a job and waits for its end. A refused job is `unknown`.
    template <class Request>
    rigproto::JobStatusReply run(Request request) {
        if (ask(request).reject != Reject::none) return {};
        return finish();
    }
    rigproto::JobStatusReply finish();
    /// Configures and homes the rig, with a card in each pocket.
    RigModel& ready();
    rigproto::JobStatusReply load(std::uint8_t pocket, std::uint8_t port);
    rigproto::JobStatusReply unload_to_bin(std::uint8_t port, std::uint8_t bin);
    rigproto::JobStatusReply power(std::uint8_t port, bool on);
    rigproto::JobStatusReply clear();

    [[nodiscard]] State state() const { return machine.status().state; }
    [[nodiscard]] Fault fault() const { return machine.status().fault; }
    [[nodiscard]] rigproto::JobStatusReply last() const { return events.jobs().status(last_job); }
    [[nodiscard]] bool moving() const { return made_step_; } ///< an axis made a step in the last tick
    [[nodiscard]] std::size_t told(rigproto::EventKind kind) const;

    // ---- the rig --------------------------------------------------------------------------------------------------

    rigproto::Config rig;
    Breakage broken;
    std::uint64_t now_us{1'000};
    std::int32_t x{700}, z{40}; ///< positions of the axes relative to the edges of their flags
    std::vector<bool> pockets;
    std::array<bool, port_count> readers{}; ///< true if a card is in it and not on the cup
    std::array<int, rigproto::bin_count> bins{};
    int fallen{}; ///< number of cards in wrong places
    bool on_cup{};
    std::array<std::uint16_t, port_count> millivolts{};
    std::uint16_t vacuum_mv{};
    plant::SdCard on_nest;
    bool nest_card{}; ///< state of its card-detect, which follows the cup that presses a card onto it
    plant::SdRegisters carried{plant::simulated_registers(0)}; ///< registers of the card on the cup
    std::vector<NestBurst> bursts;                             ///< with clocks
    Outputs outputs;
    std::set<std::string> hazards; ///< forbidden events that happened
    std::vector<Told> history;     ///< recorded events
    std::vector<JobStage> stages;  ///< reported stages of the running job
    int insertions{};              ///< pushes of a card into a reader, successful or not
    std::uint32_t last_job{};      ///< accepted

    Retained retained{};
    bool cold{open_retained(retained)};
    Events events{retained};
    StepQueue steps;
    Machine machine{events, retained, steps};

private:
    [[nodiscard]] Inputs look();
    void make_steps(std::uint64_t end_us);
    void step(const MotorStep& step);
    void move_card();
    void pull();
    void release();
    void feed_ports();
    void clock_nest();
    void press_onto_nest();
    void watch(const Inputs& inputs);
    [[nodiscard]] std::optional<std::uint8_t> reader_below() const;
    [[nodiscard]] std::optional<std::uint8_t> pocket_below() const;
    [[nodiscard]] std::uint8_t detects() const;

    std::optional<std::uint8_t> pushed_into_; // reader that contains the card on the cup
    bool deep_{};                             // the cup is at insertion depth
    std::uint64_t pumping_us_{}, pulled_us_{};
    std::optional<std::uint64_t> next_step_us_;
    std::array<std::uint64_t, port_count> absent_us_{};
    std::uint8_t wanted_{};
    NestSample nest_{};
    bool pressed_{};
    bool made_step_{}, x_stepped_{}, z_stepped_{};
    bool x_was_covered_{}, z_was_covered_{};
    std::int32_t x_edge_{}, z_edge_{};
};

} // namespace mediarig::firmware::test
