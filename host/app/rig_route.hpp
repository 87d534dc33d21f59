// SPDX-License-Identifier: GPL-3.0-or-later
/// The way to an agent whose media a rig moves: first the agent, then the board, with the ledger between.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "host/app/agent_runner.hpp"
#include "host/app/lab_bridge.hpp"
#include "host/app/lab_route.hpp"
#include "host/app/rig_choice.hpp"
#include "host/app/simulated_rig.hpp"
#include "host/plan/plan.hpp"
#include "host/rig/config/rig_config.hpp"
#include "host/rig/manual/terminal.hpp"
#include "host/rig/rig.hpp"
#include "host/rig/serial/serial_board.hpp"

namespace mediarig::app {

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

} // namespace mediarig::app
