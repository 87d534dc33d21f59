// SPDX-License-Identifier: GPL-3.0-or-later
/// A station on a fake board, with a fake agent that sees powered media.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "host/rig/station/station_rig.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/magazine_board.hpp"
#include "tests/fakes/memory_rig_log.hpp"

namespace mediarig::rig {

inline media::Medium card_medium(std::uint8_t pocket) {
    media::Medium medium;
    medium.node = "/dev/sdb"; // a new device gets the free name
    medium.transport = media::Transport::usb;
    medium.vendor = "Acme";
    medium.model = "Card";
    medium.serial = "SERIAL-" + std::to_string(pocket);
    medium.size = Bytes{(std::uint64_t{64} + pocket) << 20};
    medium.removable = true;
    medium.usb.emplace();
    medium.usb->port_path = "1-1";
    return medium;
}

inline StationSetup quick_setup(std::uint8_t pockets = 8, std::uint8_t ports = 1) {
    using std::chrono::milliseconds;
    return {.pockets = pockets,
            .ports = ports,
            .appears_within = milliseconds(400),
            .vanishes_within = milliseconds(400),
            .look_every = milliseconds(1)};
}

/// One life of a controller: its claims end with it, the magazine and the ledger stay.
struct StationLife {
    boost::asio::io_context io;
    std::unique_ptr<agent::FakeAgentLink> owned = std::make_unique<agent::FakeAgentLink>();
    agent::FakeAgentLink& link = *owned;
    agent::AgentClient client{std::move(owned)};
    MagazineBoard board;
    AsyncRigLog async_log;
    StationRig rig;

    StationLife(FakeMagazine& magazine, RigLog& log, const StationSetup& setup)
        : board(magazine, log, link), async_log(log), rig(board, async_log, setup) {
        run([this]() -> boost::asio::awaitable<void> { REQUIRE(co_await client.hello("test")); });
    }

    template <class Scenario>
    void run(Scenario scenario) {
        boost::asio::co_spawn(io, std::move(scenario), boost::asio::detached);
        io.restart();
        io.run();
    }
    Result<Loaded> load(std::uint8_t slot) {
        Result<Loaded> result = fail(Errc::io_failed, "never ended");
        run([&]() -> boost::asio::awaitable<void> { result = co_await rig.load(SlotId{slot}, client); });
        return result;
    }
    Result<std::string> unload(std::uint8_t slot, Sorting to) {
        Result<Unloaded> result = fail(Errc::io_failed, "never ended");
        run([&]() -> boost::asio::awaitable<void> { result = co_await rig.unload(SlotId{slot}, to, client); });
        if (!result) return fail(result.error());
        return journal_text(result->how, result->detachment);
    }
    std::optional<Error> trouble() {
        std::optional<Error> result;
        run([&]() -> boost::asio::awaitable<void> { result = co_await rig.trouble(); });
        return result;
    }
};

} // namespace mediarig::rig
