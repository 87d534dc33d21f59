// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/app/manual_route.hpp"

#include <unistd.h>

#include "host/rig/manual/manual_rig.hpp"
#include "host/rig/manual/terminal.hpp"

namespace mediarig::app {
namespace {

namespace asio = boost::asio;

class ManualRoute final : public Route {
public:
    explicit ManualRoute(const AgentChoice& choice) : way_(make_agent_route(choice)) {}

    asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> open(const asio::any_io_executor& executor) override {
        person_ = std::make_unique<rig::Terminal>(executor, STDIN_FILENO, STDERR_FILENO);
        rig_ = std::make_unique<rig::ManualRig>(*person_);
        return way_->open(executor);
    }
    asio::awaitable<Result<void>> close() override {
        rig_.reset();
        person_.reset();
        return way_->close();
    }
    rig::Rig* rig() override { return rig_.get(); }

private:
    std::unique_ptr<Route> way_;
    std::unique_ptr<rig::Terminal> person_;
    std::unique_ptr<rig::ManualRig> rig_;
};

} // namespace

std::unique_ptr<Route> make_manual_route(const AgentChoice& choice) {
    return std::make_unique<ManualRoute>(choice);
}

} // namespace mediarig::app
