// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig that moves sticks in and out of a fake agent's sight, keeps a log, and jams where it is told to.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/rig/rig.hpp"
#include "tests/fakes/fake_agent_link.hpp"

namespace mediarig::rig {

class FakeRig final : public Rig {
public:
    explicit FakeRig(agent::FakeAgentLink& agent) : agent_(agent) {}

    std::map<unsigned, media::Medium> slots; ///< what sits where
    std::map<unsigned, Error> fails_to_load; ///< slots that jam
    std::map<unsigned, Error> fails_to_unload;
    std::vector<std::string> log; ///< "load 1", "unload 1"

    boost::asio::awaitable<Result<media::Medium>> load(SlotId slot, agent::AgentClient&) override {
        log.push_back(fmt::format("load {}", slot.number));
        if (const auto jam = fails_to_load.find(slot.number); jam != fails_to_load.end()) co_return fail(jam->second);
        const media::Medium& medium = slots.at(slot.number);
        agent_.media[medium.node] = medium;
        co_return medium;
    }

    boost::asio::awaitable<Result<void>> unload(SlotId slot, agent::AgentClient&) override {
        log.push_back(fmt::format("unload {}", slot.number));
        agent_.media.erase(slots.at(slot.number).node);
        if (const auto jam = fails_to_unload.find(slot.number); jam != fails_to_unload.end())
            co_return fail(jam->second);
        co_return Result<void>{};
    }

    std::string description() const override { return "fake rig"; }

private:
    agent::FakeAgentLink& agent_;
};

} // namespace mediarig::rig
