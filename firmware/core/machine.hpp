// SPDX-License-Identifier: GPL-3.0-or-later
/// Controls the rig as one state machine: it runs one job at a time and knows the job's interlocks and possible ends.
///
///     boot -> unhomed -home-> homing -> ready -load, unload, jog-> moving -> ready
///       any but boot -park, or 30 s of silence-> parked -home-> homing
///       any -fault that latches, e-stop, STOP-> latched -clear, cause gone-> unhomed
///
/// Implements RigMachine (firmware/core/link/link.hpp). Latching faults: docs/development/firmware.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "firmware/core/card_detect.hpp"
#include "firmware/core/carriage.hpp"
#include "firmware/core/gripper.hpp"
#include "firmware/core/io.hpp"
#include "firmware/core/link/command.hpp"
#include "firmware/core/link/events.hpp"
#include "firmware/core/link/retained.hpp"
#include "firmware/core/ports.hpp"
#include "firmware/core/sd_reader.hpp"
#include "firmware/core/step_queue.hpp"
#include "firmware/core/transfer.hpp"

namespace mediarig::firmware {

inline constexpr std::uint32_t safety_closed_lasts_us = 20'000; ///< contacts bounce; opening takes effect at once
inline constexpr std::uint64_t guard_longest_us =
    600'000'000; ///< maximum time for which a guarded port stays on after the rig parked itself
inline constexpr std::uint32_t bootloader_delay_us = 200'000; ///< time to send the answer and the event

class Machine {
public:
    Machine(Events& events, Retained& retained, StepQueue& steps);

    // Requests of the link; see RigMachine.
    rigproto::Rejection begin(const RigCommand& command, std::uint64_t now_us);
    rigproto::Rejection configure(const rigproto::Config& config, std::uint64_t now_us);
    void stop(std::uint64_t now_us);
    void lease_lost(std::uint64_t now_us);
    void lease_parked(std::uint64_t now_us);
    void host_returned();
    [[nodiscard]] rigproto::StatusReply status() const;
    [[nodiscard]] rigproto::PortStatusReply port(std::uint8_t number) const;
    [[nodiscard]] rigproto::NestReply nest() const;
    [[nodiscard]] const rigproto::NestRegistersReply& nest_registers() const { return nest_.registers(); }

    /// Call every 500 us. Sets all outputs except `feed_watchdog`.
    Outputs tick(const Inputs& inputs);

    /// For the interrupt of the safety chain, after it halted the steps. The next tick latches the fault.
    [[gnu::always_inline]] inline void safety_opened() { opened_.store(true, std::memory_order_release); }

private:
    enum class Activity : std::uint8_t {
        none,
        home,
        transfer,
        power_on,
        power_off,
        clear,
        jog,
        park, ///< Z first, then X
        bootloader,
        nest_read,
        /// The rig parks itself without a job.
        self_park
    };

    // Each of these functions starts a job, or returns the interlock that forbids the job.
    rigproto::Rejection start(const rigproto::HomeRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::LoadRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::UnloadRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::PowerRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::ClearRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::JogRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::ParkRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::GuardRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::IdentifyRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::NestReadRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::EmptyRequest& request, std::uint64_t now_us);
    rigproto::Rejection start(const rigproto::BootloaderRequest& request, std::uint64_t now_us);

    [[nodiscard]] rigproto::Rejection may_move() const;
    [[nodiscard]] rigproto::Rejection may_switch_on(std::uint8_t port) const;
    /// True if the cup may leave its position, up or down.
    [[nodiscard]] bool cup_free() const;
    /// True if the cup is in no reader, whatever is below it, or there is no carriage.
    [[nodiscard]] bool cup_is_clear() const;
    /// True if a card is in this reader: card-detect reported one, now or earlier, or one was inserted, and nothing has
    /// proved its removal since. An open card-detect switch is no proof.
    [[nodiscard]] bool occupied(std::uint8_t port) const;
    [[nodiscard]] bool unproven(std::uint8_t port) const;
    void remember(std::uint8_t port, bool card);
    void remember_seen();
    [[nodiscard]] bool idle() const { return activity_ == Activity::none && booted_; }

    /// Content of the pockets as moved by this rig. A pocket in neither mask is probed before a card goes into it.
    struct KnownPockets {
        std::uint32_t empty{}, full{}; // bit n: pocket n
    };
    void remember(const CardTransfer::PocketResult& result);

    void watch_safety(const Inputs& inputs);
    void watch_cup(const Inputs& inputs);
    void watch_guards(std::uint64_t now_us);
    void proceed(std::uint64_t now_us);
    void continue_moving(std::uint64_t now_us);
    void continue_transfer(std::uint64_t now_us);
    void continue_switching_on(std::uint64_t now_us);
    void continue_switching_off(std::uint64_t now_us);
    void continue_clearing(std::uint64_t now_us);
    void continue_reading_nest(std::uint64_t now_us);
    void enter_park();
    void progress(rigproto::JobStage stage, std::uint64_t now_us);
    void done(std::uint64_t now_us);
    void failed(rigproto::Fault fault, std::uint8_t detail, std::uint64_t now_us);
    void latch(rigproto::Fault fault, std::uint8_t detail, std::uint64_t now_us);
    [[nodiscard]] rigproto::State state() const;
    [[nodiscard]] std::uint8_t lights(std::uint64_t now_us) const;
    [[nodiscard]] Outputs outputs(std::uint64_t now_us) const;

    Events* events_;
    Retained* retained_;
    StepQueue* steps_;
    Carriage carriage_;
    Gripper gripper_;
    Ports ports_;
    CardDetect cards_;
    SdReader nest_;
    CardTransfer transfer_;
    rigproto::Config config_{};
    KnownPockets pockets_{};

    std::uint64_t begun_at_us_{};
    std::uint64_t safety_open_at_us_{}; // last time at which the safety chain was open
    std::uint64_t guarded_until_us_{};  // 0: a host is present
    std::uint32_t job_{};
    std::uint32_t noted_job_{}; // a job that was done at once while another one ran
    Activity activity_{};
    rigproto::JobStage stage_{};
    rigproto::Fault fault_{}; // the latched fault
    std::uint8_t fault_detail_{};
    std::uint8_t port_{}; // being switched
    std::uint8_t guarded_{};
    std::atomic<bool> opened_{false};
    bool booted_{}, started_{}, configured_{};
    bool safety_closed_{}, driver_fault_{}, nest_card_{}, no_carriage_{};
    bool parked_{}, park_due_{};
    bool lease_stop_{};        // the running motion ends because the host is silent
    bool home_over_voltage_{}; // Z was up when the running homing began: ports may be on
    bool switched_{};          // the running power job has switched
};

} // namespace mediarig::firmware
