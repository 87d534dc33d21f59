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
    std::string file;   ///< file with its bytes
    std::string serial; ///< empty in a slot without serials
    Bytes size;
    std::string socket{}; ///< NBD server over the file for a disk at two ports. Empty: QEMU opens the file
};

/// A fault of the stage, not of the tested code, is a std::runtime_error: a crash of the guest's kernel or a card that
/// does not appear.
class Stage {
public:
    explicit Stage(BootFiles image);
    ~Stage();

    /// Runs a script in the guest with the helpers of guest_script.hpp, until the first command that fails.
    ShellAnswer script(const std::string& text);
    agent::AgentClient& agent() { return *agent_; }
    Booted& machine() { return booted_; }
    /// Makes a new controller after one whose claim could not be released.
    void replace_agent();
    [[nodiscard]] std::string folder() const { return scratch_.path(); }

    /// Returns a new card with random contents, or an empty card if `seed` is 0. Its file is removed with the stage.
    Card make_card(const std::string& name, const std::string& serial, Bytes size, std::uint64_t seed);
    /// Returns its node in the guest.
    std::string plug(std::uint8_t slot, const Card& card);
    /// Plugs a card without waiting for the agent, which may be busy.
    void push(std::uint8_t slot, const Card& card);
    void unplug(std::uint8_t slot);
    /// Runs pending work for this time.
    void pass(std::chrono::milliseconds time);

    /// Snapshots of every card made since the last `clean_up`, and of the bystander that is always plugged, after the
    /// guest has written its caches and nothing changes any more.
    [[nodiscard]] std::map<std::string, Snapshot> settled();
    /// Returns the same snapshots without waiting.
    [[nodiscard]] std::map<std::string, Snapshot> now() const;
    /// Removes everything in the guest and every card. Returns the failures, or an empty text.
    std::string clean_up();

    [[nodiscard]] std::chrono::milliseconds boot() const { return booted_.report->boot; }
    static constexpr std::uint8_t bystander_slot = 9;

private:
    void unplug_all();
    tests::Scratch scratch_;
    Booted booted_;
    std::unique_ptr<agent::AgentClient> agent_;
    std::map<std::uint8_t, Card> plugged_;
    std::vector<Card> cards_;
    Card bystander_;
    unsigned made_{0};
};

} // namespace mediarig::lab
