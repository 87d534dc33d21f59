// SPDX-License-Identifier: GPL-3.0-or-later
/// A bank of slots with an operator, and an agent that sees powered media.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/rig/bank/bank_rig.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_agent_link.hpp"

namespace mediarig::rig {

inline media::Medium bank_medium(const std::string& node, const std::string& serial, const std::string& usb) {
    media::Medium medium;
    medium.node = node;
    medium.transport = media::Transport::usb;
    medium.vendor = "Acme";
    medium.serial = serial;
    medium.size = Bytes{64 << 20};
    medium.removable = true;
    if (usb.empty()) return medium;
    medium.usb.emplace();
    medium.usb->port_path = usb;
    return medium;
}

/// Scripted actions at each request.
class BankPerson final : public Operator {
public:
    std::function<void(const std::string&)> obey = [](const std::string&) {};
    std::vector<std::string> told, types;

    void tell(const std::string& line) override {
        told.push_back(line);
        obey(line);
    }
    boost::asio::awaitable<std::optional<std::string>> hear(std::chrono::milliseconds) override {
        if (types.empty()) co_return std::nullopt;
        std::optional<std::string> line = types.front();
        types.erase(types.begin());
        co_return line;
    }
};

struct BankBench {
    boost::asio::io_context io;
    std::unique_ptr<agent::FakeAgentLink> owned = std::make_unique<agent::FakeAgentLink>();
    agent::FakeAgentLink& link = *owned;
    agent::AgentClient client{std::move(owned)};
    BankPerson person;
    std::unique_ptr<BankRig> rig;

    BankBench() {
        run([this]() -> boost::asio::awaitable<void> { REQUIRE(co_await client.hello("test")); });
    }
    void build(std::vector<SwitchedSlot> slots) {
        using std::chrono::milliseconds;
        BankSetup setup;
        setup.appears_within = setup.vanishes_within = setup.person_within = milliseconds(60);
        setup.look_every = milliseconds(1);
        rig = std::make_unique<BankRig>(std::move(slots), person, std::move(setup));
    }
    void build(std::unique_ptr<Supply> supply, std::string serial = {}) {
        std::vector<SwitchedSlot> slots;
        slots.push_back({.supply = std::move(supply), .usb = {}, .serial = std::move(serial)});
        build(std::move(slots));
    }
    template <class Scenario>
    void run(Scenario scenario) {
        boost::asio::co_spawn(io, std::move(scenario), boost::asio::detached);
        io.restart();
        io.run();
    }
    Result<Loaded> load(std::uint8_t slot) {
        Result<Loaded> result = fail(Errc::io_failed, "never ended");
        run([&]() -> boost::asio::awaitable<void> { result = co_await rig->load(SlotId{slot}, client); });
        return result;
    }
    Result<Unloaded> unload(std::uint8_t slot, Sorting to) {
        Result<Unloaded> result = fail(Errc::io_failed, "never ended");
        run([&]() -> boost::asio::awaitable<void> { result = co_await rig->unload(SlotId{slot}, to, client); });
        return result;
    }
};

} // namespace mediarig::rig
