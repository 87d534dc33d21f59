// SPDX-License-Identifier: GPL-3.0-or-later
/// The driver of a serial board and a fake board, at the two ends of one port.
#pragma once

#include <memory>
#include <string>

#include "common/rigproto/simulated_rig.hpp"
#include "host/rig/serial/serial_board.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_board.hpp"
#include "tests/fakes/memory_rig_log.hpp"
#include "tests/runner.hpp"

namespace mediarig::rig {

struct DriverFixture {
    tests::Runner bench;
    FakeBoard board{bench.io};
    MemoryRigLog log;
    BoardSettings settings;
    std::unique_ptr<SerialBoard> rig;

    DriverFixture() {
        settings.path = board.path;
        settings.config = rigproto::simulated_rig();
        settings.come_back_within = std::chrono::milliseconds(300);
    }
    ~DriverFixture() { rig.reset(); }

    /// The error of opening, or a unique code and text on success.
    Error opening() {
        auto opened =
            bench.run(SerialBoard::open(bench.io.get_executor(), settings, std::make_shared<AsyncRigLog>(log)));
        if (!opened) return opened.error();
        rig = std::move(*opened);
        return {Errc::cancelled, "opened"};
    }
    void open() { REQUIRE(opening().detail == "opened"); }
    std::string home() {
        const auto outcome = bench.run(rig->home());
        return outcome ? (outcome->fault == rigproto::Fault::none ? "done" : "failed") : outcome.error().detail;
    }
};

} // namespace mediarig::rig
