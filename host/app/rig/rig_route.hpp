// SPDX-License-Identifier: GPL-3.0-or-later
/// Chooses the rig that moves the media of a campaign.
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
    detected,       ///< the only attached board
    simulated,      ///< the simulated rig of a campaign with a lab in its plan
    simulated_bank, ///< like `simulated`, without a carriage; the cards are in the readers
    manual,         ///< a person changes the media
    file,           ///< a rig file (*.json)
    line,           ///< the serial line of a board
    none,           ///< an empty name
};
/// Words for the first values of RigKind, in the same order.
inline constexpr std::array<std::string_view, 4> rig_words{"auto", "sim", "sim-bank", "manual"};
/// Words for rigs that can be driven by hand.
inline constexpr std::span<const std::string_view> rig_words_by_hand{rig_words.data(), 2};
[[nodiscard]] constexpr std::string_view word_of(RigKind kind) {
    return rig_words[static_cast<std::size_t>(kind)];
}
[[nodiscard]] RigKind rig_kind_of(const std::string& how);

struct RigChoice {
    std::string how;              ///< a word, a serial line or a file
    std::filesystem::path script; ///< faults and events of the simulated rig, one command per line

    [[nodiscard]] RigKind kind() const { return rig_kind_of(how); }
    [[nodiscard]] bool simulated() const { return kind() == RigKind::simulated || simulated_bank(); }
    [[nodiscard]] bool simulated_bank() const { return kind() == RigKind::simulated_bank; }
    [[nodiscard]] bool manual() const { return kind() == RigKind::manual; }
    /// True also for the simulated rig, because it has a board.
    [[nodiscard]] bool board() const { return !how.empty() && !manual(); }
};

/// Fails with bad_request if the serial line does not exist and `line` resembles a word in `known`: "simm".
[[nodiscard]] Result<void> check_line(const std::string& line, std::span<const std::string_view> known);

/// The rig's configuration for this plan. Fails with bad_request (no such file, a simulated rig without a lab, a lab
/// with a real rig, lab media other than USB sticks) and with faults of the rig file.
[[nodiscard]] Result<rig::RigConfig> rig_for(const RigChoice& choice, const plan::Plan& plan);

/// Route to an agent whose media a rig moves: opens the agent, then the board with its ledger.
class RigRoute final : public Route {
public:
    struct Setup {
        rig::RigConfig config;
        std::filesystem::path store;  ///< contains the ledger
        std::unique_ptr<Route> agent; ///< null for the simulated rig, which uses the lab's agent
        std::optional<LabSetup> lab;  ///< for the simulated rig: the cards in its pockets
        std::filesystem::path media;  ///< folder of the lab's media and of the positions of their cards
        std::filesystem::path script;
    };
    explicit RigRoute(Setup setup);
    ~RigRoute() override;

    boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(
        const boost::asio::any_io_executor& executor) override;
    boost::asio::awaitable<Result<void>> close() override;
    void expedite_close() override { way().expedite_close(); }

    /// Null before open() succeeds and after close().
    [[nodiscard]] rig::Rig* rig() override { return rig_.get(); }

private:
    /// Route to the agent.
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
    std::unique_ptr<rig::Terminal> person_; ///< used for a rig without a carriage
    std::unique_ptr<rig::Rig> rig_;
};

/// Resolves a plan for the chosen rig: replaces a request for all slots with the slots of the rig. Fails with
/// bad_request if the slots need a rig and no rig was chosen, or if the rig's number of slots is unknown; otherwise
/// fails like rig_for().
[[nodiscard]] Result<plan::Plan> plan_on(const RigChoice& choice, const plan::Plan& plan);

/// The cards of the plan's lab, except cards that never appear ("dead").
[[nodiscard]] std::vector<plan::EmulatedMedium> living_cards(const plan::Plan& plan);

/// Connection to the board of the rig.
[[nodiscard]] rig::BoardSettings settings_of(const rig::RigConfig& config);

/// Declared USB paths of the readers and slots.
[[nodiscard]] std::vector<std::string> usb_paths_of(const rig::RigConfig& config);

/// Route to an agent whose media a person changes. `choice` must outlive the route.
[[nodiscard]] std::unique_ptr<Route> make_manual_route(const AgentChoice& choice);

} // namespace mediarig::app
