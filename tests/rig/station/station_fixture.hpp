// SPDX-License-Identifier: GPL-3.0-or-later
/// A station on a fake board, with a fake agent that sees powered media.
#pragma once

#include "host/rig/station/station_rig.hpp"
#include "tests/fakes/magazine_board.hpp"
#include "tests/fakes/memory_rig_log.hpp"
#include "tests/rig/agent_bench.hpp"

namespace mediarig::rig {

inline media::Medium card_medium(std::uint8_t pocket) {
    // A new device gets the free name.
    media::Medium medium =
        usb_medium("/dev/sdb", "SERIAL-" + std::to_string(pocket), "1-1", Bytes{(std::uint64_t{64} + pocket) << 20});
    medium.model = "Card";
    return medium;
}

inline StationSetup quick_setup(std::uint8_t pockets = 8, std::uint8_t ports = 1) {
    using std::chrono::milliseconds;
    return {.pockets = pockets,
            .ports = ports,
            .appears_within = milliseconds(400),
            .vanishes_within = milliseconds(400),
            .poll_interval = milliseconds(1)};
}

/// One life of a controller: its claims end with it, the magazine and the ledger stay.
struct StationLife : AgentBench {
    MagazineBoard board;
    AsyncRigLog async_log;
    StationRig rig;

    StationLife(FakeMagazine& magazine, RigLog& log, const StationSetup& setup)
        : board(magazine, log, link), async_log(log), rig(board, async_log, setup) {}

    Result<LoadResult> load(std::uint8_t slot) { return AgentBench::load(rig, slot); }
    Result<std::string> unload(std::uint8_t slot, Sorting to) { return unload_text(rig, slot, to); }
    std::optional<Error> rig_fault() { return run(rig.rig_fault()); }
};

} // namespace mediarig::rig
