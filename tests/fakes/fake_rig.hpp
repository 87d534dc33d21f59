// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig that connects and disconnects sticks of a fake agent, keeps a log, and jams on request.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/rig/port/rig.hpp"
#include "tests/fakes/fake_agent_link.hpp"

namespace mediarig::rig {

class FakeRig final : public Rig {
public:
    explicit FakeRig(agent::FakeAgentLink& agent) : agent_(agent) {}

    std::map<unsigned, media::Medium> slots; ///< medium of each slot
    std::map<unsigned, Error> fails_to_load; ///< slots that jam
    std::map<unsigned, Error> fails_to_unload;
    std::vector<std::string> log;                    ///< "load 1", "unload 1"
    std::map<unsigned, Sorting> sorted;              ///< slot -> last destination of its medium
    std::optional<Detachment> handshake, separation; ///< results of load() and unload()
    std::map<unsigned, NestReading> readings;        ///< readings of slots whose card is read on the nest
    std::optional<Error> in_trouble;                 ///< result of rig_fault()
    Lanes can{};

    boost::asio::awaitable<Result<LoadResult>> load(SlotId slot, agent::AgentClient&) override {
        log.push_back(fmt::format("load {}", slot.number));
        if (const auto jam = fails_to_load.find(slot.number); jam != fails_to_load.end()) co_return fail(jam->second);
        const media::Medium& medium = slots.at(slot.number);
        agent_.media[medium.node] = medium;
        LoadResult loaded{.medium = medium, .how = {}, .detachment = handshake};
        if (const auto read = readings.find(slot.number); read != readings.end()) loaded.nest = read->second;
        co_return loaded;
    }

    boost::asio::awaitable<Result<UnloadResult>> unload(SlotId slot, Sorting to, agent::AgentClient&) override {
        log.push_back(fmt::format("unload {}", slot.number));
        sorted[slot.number] = to;
        agent_.media.erase(slots.at(slot.number).node);
        if (const auto jam = fails_to_unload.find(slot.number); jam != fails_to_unload.end())
            co_return fail(jam->second);
        UnloadResult unloaded{.how = "put away", .detachment = separation};
        co_return unloaded;
    }

    boost::asio::awaitable<std::optional<Error>> rig_fault() override { co_return in_trouble; }

    Lanes lanes() const override { return can; }

    std::string description() const override { return "fake rig"; }

private:
    agent::FakeAgentLink& agent_;
};

} // namespace mediarig::rig
