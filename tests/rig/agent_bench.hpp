// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig with a fake agent that sees powered media, and a scripted operator.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/rig/port/rig.hpp"
#include "host/rig/station/operator.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_agent_link.hpp"
#include "tests/runner.hpp"

namespace mediarig::rig {

/// `port_path`: empty for a medium without USB values.
inline media::Medium usb_medium(const std::string& node, const std::string& serial, const std::string& port_path = "",
                                Bytes size = 64_MiB) {
    media::Medium medium;
    medium.node = node;
    medium.transport = media::Transport::usb;
    medium.vendor = "Acme";
    medium.serial = serial;
    medium.size = size;
    medium.removable = true;
    if (port_path.empty()) return medium;
    medium.usb.emplace();
    medium.usb->port_path = port_path;
    return medium;
}

/// Scripted actions and input at each request.
class Person final : public Operator {
public:
    std::function<void(const std::string&)> obey = [](const std::string&) {};
    std::vector<std::string> told, types;
    bool confirms{}; ///< types the confirmation of a card

    void tell(const std::string& line) override {
        told.push_back(line);
        obey(line);
        const auto asks = line.find("type ");
        if (confirms && asks != std::string::npos)
            types.push_back(line.substr(asks + 5, line.find(' ', asks + 5) - asks - 5));
    }
    boost::asio::awaitable<std::optional<std::string>> hear(std::chrono::milliseconds) override {
        if (types.empty()) co_return std::nullopt;
        std::optional<std::string> line = types.front();
        types.erase(types.begin());
        co_return line;
    }
};

struct AgentBench : tests::Runner {
    std::unique_ptr<agent::FakeAgentLink> owned = std::make_unique<agent::FakeAgentLink>();
    agent::FakeAgentLink& link = *owned;
    agent::AgentClient client{std::move(owned)};

    AgentBench() { REQUIRE(run(client.hello("test"))); }
    /// Ends all background work as well.
    template <class T>
    T run(boost::asio::awaitable<T> work) {
        const auto result = begin(std::move(work));
        io.restart();
        io.run();
        return std::move(result->value());
    }
    Result<LoadResult> load(Rig& rig, std::uint8_t slot) { return run(rig.load(SlotId{slot}, client)); }
    Result<UnloadResult> unload(Rig& rig, std::uint8_t slot, Sorting to) {
        return run(rig.unload(SlotId{slot}, to, client));
    }
    /// Returns the text for the journal.
    Result<std::string> unload_text(Rig& rig, std::uint8_t slot, Sorting to) {
        return unload(rig, slot, to).map([](const UnloadResult& done) {
            return journal_text(done.how, done.detachment);
        });
    }
};

} // namespace mediarig::rig
