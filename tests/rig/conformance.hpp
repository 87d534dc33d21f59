// SPDX-License-Identifier: GPL-3.0-or-later
/// Base of every conformance case: a board that runs as a program, and our client on its port.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/rigproto/simulated_rig.hpp"
#include "host/rig/port/rig_text.hpp"
#include "host/rig/serial/serial_board.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/memory_rig_log.hpp"
#include "tests/rig/board_process.hpp"
#include "tests/rig/wire.hpp"
#include "tests/runner.hpp"
#include "tests/sample.hpp"

namespace mediarig::rig {

inline constexpr std::uint8_t few_pockets = 4;
inline constexpr std::uint8_t few_ports = 2;

/// "done", "pick_missed 3", "stopped 0, latched", or the error.
inline std::string said(const Result<RigJobOutcome>& outcome) {
    if (!outcome) return outcome.error().detail;
    if (outcome->fault == rigproto::Fault::none) return "done";
    return fmt::format("{} {}{}", name_of(outcome->fault), outcome->detail, outcome->latched ? ", latched" : "");
}

struct Conformance {
    BoardProcess board;
    tests::Runner bench;
    MemoryRigLog log;
    std::unique_ptr<SerialBoard> rig;
    BoardSettings settings;

    explicit Conformance(std::vector<std::string> more = {})
        : board([&] {
              more.insert(more.end(), {"--pockets", std::to_string(few_pockets), "--ports", std::to_string(few_ports)});
              return more;
          }()) {
        settings.path = board.path();
        settings.config = rigproto::simulated_rig(few_pockets, few_ports);
        // An emulated board takes time to return to the bus.
        settings.come_back_within = std::chrono::minutes(1);
    }

    /// Opens a link and returns the result. An open link is closed first.
    std::string open() {
        rig.reset();
        auto opened =
            bench.run(SerialBoard::open(bench.io.get_executor(), settings, std::make_shared<AsyncRigLog>(log)));
        if (!opened) return opened.error().detail;
        rig = std::move(*opened);
        return "success";
    }
    std::string home() { return said(bench.run(rig->home())); }
    std::string load(std::uint8_t pocket, std::uint8_t port) {
        return said(bench.run(rig->load(Pocket{pocket}, PortIndex{port})));
    }
    std::string to_pocket(std::uint8_t port, std::uint8_t pocket) {
        return said(bench.run(rig->unload(PortIndex{port}, Pocket{pocket})));
    }
    std::string to_bin(std::uint8_t port, rigproto::Bin bin) {
        return said(bench.run(rig->unload(PortIndex{port}, bin)));
    }
    std::string power_on(std::uint8_t port) { return said(bench.run(rig->power_on(PortIndex{port}))); }
    std::string power_off(std::uint8_t port) { return said(bench.run(rig->power_off(PortIndex{port}))); }
    rigproto::StatusReply status() {
        auto status = bench.run(rig->status());
        if (!status) throw std::runtime_error(status.error().detail);
        return *status;
    }
    rigproto::PortStatusReply port(std::uint8_t number) {
        auto status = bench.run(rig->port(PortIndex{number}));
        if (!status) throw std::runtime_error(status.error().detail);
        return *status;
    }
    /// Waits for this time on the board's clock.
    void let(std::chrono::milliseconds pass) {
        const auto until = status().time_us + static_cast<std::uint64_t>(pass.count()) * 1000;
        bench.until([&] { return status().time_us >= until; });
    }
    /// True position of the card: "pocket 2", "port 0", "bin 1".
    std::string card(std::uint8_t number) {
        const auto state = board.say("state");
        for (const auto& known : state.at("cards"))
            if (known.at("card") == number)
                return fmt::format("{} {}", known.at("where").get<std::string>(), known.at("index").get<int>());
        return "nowhere";
    }
    std::size_t heard(rigproto::EventKind kind) const {
        return static_cast<std::size_t>(std::count_if(log.events.begin(), log.events.end(),
                                                      [kind](const LoggedEvent& event) { return event.kind == kind; }));
    }
};

/// An open link to a homed board.
struct HomedBoard : Conformance {
    explicit HomedBoard(std::vector<std::string> more = {}) : Conformance(std::move(more)) {
        REQUIRE(open() == "success");
        REQUIRE(home() == "done");
    }
};

} // namespace mediarig::rig

/// Starts the board of this run, or skips with the reason. The emulated board is slow and runs only some of the cases.
#define MEDIARIG_NEEDS_BOARD()                                                             \
    if (const auto why = mediarig::rig::BoardProcess::missing(); why) MEDIARIG_SKIP(*why); \
    if (mediarig::rig::BoardProcess::kind() == "emulator") MEDIARIG_SAMPLED(6)
