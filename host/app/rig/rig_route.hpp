// SPDX-License-Identifier: GPL-3.0-or-later
/// Which rig moves the media of a campaign.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/app/agent/agent_runner.hpp"
#include "host/app/lab/lab_bridge.hpp"
#include "host/app/lab/lab_route.hpp"
#include "host/app/rig/simulated_rig.hpp"
#include "host/base/result.hpp"
#include "host/plan/plan.hpp"
#include "host/rig/config/rig_config.hpp"
#include "host/rig/port/rig.hpp"
#include "host/rig/serial/serial_board.hpp"
#include "host/rig/station/terminal.hpp"

namespace mediarig::app {

enum class RigKind : std::uint8_t {
    detected,       ///< the only board that is plugged in
    simulated,      ///< of a campaign with the plan's lab
    simulated_bank, ///< the same without a carriage, its cards in its readers
    manual,         ///< a person
    file,           ///< a rig file (*.json)
    line,           ///< of a board
    none,           ///< an empty name
};
/// What the first ones are called, in their order.
inline constexpr std::array<std::string_view, 4> rig_words{"auto", "sim", "sim-bank", "manual"};
/// Those of rigs that somebody can drive by hand.
inline constexpr std::span<const std::string_view> rig_words_by_hand{rig_words.data(), 2};
[[nodiscard]] constexpr std::string_view word_of(RigKind kind) {
    return rig_words[static_cast<std::size_t>(kind)];
}
[[nodiscard]] RigKind rig_kind_of(const std::string& how);

struct RigChoice {
    std::string how;              ///< a word, a line or a file
    std::filesystem::path script; ///< faults and events of the simulated rig, one sentence a line

    [[nodiscard]] RigKind kind() const { return rig_kind_of(how); }
    [[nodiscard]] bool simulated() const { return kind() == RigKind::simulated || simulated_bank(); }
    [[nodiscard]] bool simulated_bank() const { return kind() == RigKind::simulated_bank; }
    [[nodiscard]] bool manual() const { return kind() == RigKind::manual; }
    /// Also of the simulated rig, which has one.
    [[nodiscard]] bool board() const { return !how.empty() && !manual(); }
};

/// Fails with bad_request where no such line is here and the word is a slip for one of those `known`: "simm".
[[nodiscard]] Result<void> check_line(const std::string& line, std::span<const std::string_view> known);

/// The way to an agent whose media a rig moves: first the agent, then the board, with the ledger between.

/// What the choice comes to for this plan. Fails with bad_request (no such file, a simulated rig without a lab, a lab
/// with a real rig, media of the lab that are no USB sticks) and what the rig file has wrong.
[[nodiscard]] Result<rig::RigConfig> rig_for(const RigChoice& choice, const plan::Plan& plan);

class RigRoute final : public Route {
public:
    struct Setup {
        rig::RigConfig config;
        std::filesystem::path store;  ///< that holds the ledger
        std::unique_ptr<Route> agent; ///< null for the simulated rig, whose agent is the lab's
        std::optional<LabSetup> lab;  ///< for the simulated rig: what is in its pockets
        std::filesystem::path media;  ///< where the lab's media, and where their cards are, is kept
        std::filesystem::path script;
    };
    explicit RigRoute(Setup setup);
    ~RigRoute() override;

    boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(
        const boost::asio::any_io_executor& executor) override;
    boost::asio::awaitable<Result<void>> close() override;
    void hurry() override { way().hurry(); }

    /// Null until open() has succeeded, and again after close().
    [[nodiscard]] rig::Rig* rig() override { return rig_.get(); }

private:
    /// The one to the agent.
    [[nodiscard]] Route& way() { return lab_ ? static_cast<Route&>(*lab_) : *setup_.agent; }
    boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open_all(
        const boost::asio::any_io_executor& executor);
    boost::asio::awaitable<Result<void>> start_simulation(const boost::asio::any_io_executor& executor);
    boost::asio::awaitable<Result<void>> open_board(const boost::asio::any_io_executor& executor);

    Setup setup_;
    bool opening_{false};
    std::unique_ptr<LabRoute> lab_;
    std::optional<SimulatedRig> simulated_;
    std::unique_ptr<LabBridge> bridge_;
    std::shared_ptr<rig::AsyncRigLog> log_;
    std::unique_ptr<rig::SerialBoard> board_;
    std::unique_ptr<rig::Terminal> person_; ///< of a rig without a carriage
    std::unique_ptr<rig::Rig> rig_;
};

/// What a plan comes to on the rig that was chosen.

/// The plan with all of the rig's slots where it asks for them. Fails with bad_request where its slots need a rig and
/// none was chosen, or one that cannot say how many it has, and with what rig_for() fails with.
[[nodiscard]] Result<plan::Plan> plan_on(const RigChoice& choice, const plan::Plan& plan);

/// The cards of the plan's lab but those that never appear ("dead").
[[nodiscard]] std::vector<plan::LabMedium> living_cards(const plan::Plan& plan);

/// Where its readers and slots are declared to be.
[[nodiscard]] std::vector<std::string> usb_paths_of(const rig::RigConfig& config);

/// The way to an agent whose media a person changes.

/// `choice` outlives it.
[[nodiscard]] std::unique_ptr<Route> make_manual_route(const AgentChoice& choice);

} // namespace mediarig::app
