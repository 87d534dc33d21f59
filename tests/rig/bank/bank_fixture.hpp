// SPDX-License-Identifier: GPL-3.0-or-later
/// A bank of slots with an operator, and an agent that sees powered media.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/rig/bank/bank_rig.hpp"
#include "tests/rig/agent_bench.hpp"

namespace mediarig::rig {

struct BankBench : AgentBench {
    Person person;
    std::unique_ptr<BankRig> rig;

    void build(std::vector<SwitchedSlot> slots) {
        using std::chrono::milliseconds;
        BankSetup setup;
        setup.appears_within = setup.vanishes_within = setup.person_within = milliseconds(60);
        setup.poll_interval = milliseconds(1);
        rig = std::make_unique<BankRig>(std::move(slots), person, std::move(setup));
    }
    void build(std::unique_ptr<Supply> supply, std::string serial = {}) {
        std::vector<SwitchedSlot> slots;
        slots.push_back({.supply = std::move(supply), .usb = {}, .serial = std::move(serial)});
        build(std::move(slots));
    }
    Result<LoadResult> load(std::uint8_t slot) { return AgentBench::load(*rig, slot); }
    Result<UnloadResult> unload(std::uint8_t slot, Sorting to) { return AgentBench::unload(*rig, slot, to); }
};

} // namespace mediarig::rig
