// SPDX-License-Identifier: GPL-3.0-or-later
/// One booted machine for many scenarios: cards that are plugged, exchanged and compared, and the real agent.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/lab/machine/booted.hpp"
#include "tests/lab/scenarios/backing.hpp"

namespace mediarig::lab {

struct Card {
    std::string name;
    std::string file;   ///< its bytes
    std::string serial; ///< empty in a slot whose media have none
    Bytes size;
    std::string socket{}; ///< of an NBD server over the file, for a disk at two ports; empty: QEMU opens the file
};

/// A fault of the stage, not of the tested code, is a std::runtime_error: a crash of the guest's kernel or a card that
/// does not appear.
class Stage {
public:
    explicit Stage(BootFiles image);
    ~Stage();

    /// In the guest, with the helpers of guest_script.hpp, until the first command that fails.
    ShellAnswer script(const std::string& text);
    agent::AgentClient& agent() { return *agent_; }
    Booted& machine() { return booted_; }
    /// A new controller, after one whose claim could not be released.
    void replace_agent();
    [[nodiscard]] std::string folder() const { return scratch_.folder(); }

    /// A new card whose content is random pieces, or nothing where `seed` is 0. Its file goes with the stage.
    Card make_card(const std::string& name, const std::string& serial, Bytes size, std::uint64_t seed);
    /// Its node in the guest.
    std::string plug(std::uint8_t slot, const Card& card);
    /// Plugs without waiting until the agent, which may be busy, has seen it.
    void push(std::uint8_t slot, const Card& card);
    void unplug(std::uint8_t slot);
    /// Runs pending work for this time.
    void pass(std::chrono::milliseconds time);

    /// Snapshots of every card made since the last `put_away`, and of the bystander that is always plugged, after the
    /// guest has written its caches and nothing changes any more.
    [[nodiscard]] std::map<std::string, Snapshot> settled();
    /// Snapshots without waiting.
    [[nodiscard]] std::map<std::string, Snapshot> now() const;
    /// Removes everything in the guest and every card. Returns the failures, or an empty text.
    std::string put_away();

    [[nodiscard]] std::chrono::milliseconds boot() const { return booted_.report->boot; }
    static constexpr std::uint8_t bystander_slot = 9;

private:
    void unplug_all();
    Scratch scratch_;
    Booted booted_;
    std::unique_ptr<agent::AgentClient> agent_;
    std::map<std::uint8_t, Card> plugged_;
    std::vector<Card> cards_;
    Card bystander_;
    unsigned made_{0};
};

} // namespace mediarig::lab
