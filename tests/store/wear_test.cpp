// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/wear.hpp"
#include "host/store/sqlite/open_rig_log.hpp"
#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::store;

namespace {

TimePoint far_future() {
    return TimePoint(std::chrono::hours(24) * 365 * 200);
}

void do_job(rig::RigLog& log, const rig::Intent& intent, rig::LoggedJob::State state) {
    const auto job = log.intend(intent);
    REQUIRE(job);
    REQUIRE(log.resolve(*job, state, {}, 0));
}

rig::Intent load_into(std::uint8_t port) {
    return {.what = rig::Load{rig::Pocket{2}, rig::PortIndex{port}}, .why = "m0.load"};
}

} // namespace

TEST_CASE("a socket has one mating cycle per inserted card, and zero cycles after its replacement") {
    const tests::Scratch scratch;
    const auto file = scratch / "store.db";
    {
        auto log = open_rig_log(file);
        REQUIRE(reason(log) == "success");
        REQUIRE((*log)->open("AA"));
        for (int i = 0; i < 3; ++i) do_job(**log, load_into(0), rig::LoggedJob::State::done);
        do_job(**log, load_into(1), rig::LoggedJob::State::done);
        do_job(**log, load_into(1), rig::LoggedJob::State::failed); // the card never arrived
        do_job(**log, {.what = rig::Home{}, .why = "test"}, rig::LoggedJob::State::done);
        REQUIRE((*log)->open("CC" + std::string(rig::simulated_mark)));
        do_job(**log, load_into(0), rig::LoggedJob::State::done);
    }
    auto wear = read_wear(file);
    REQUIRE(reason(wear) == "success");
    CHECK(wear->sockets == std::vector<SocketWear>{{"AA", rig::PortIndex{0}, 3}, {"AA", rig::PortIndex{1}, 1}});
    CHECK(wear->cards.empty());
    REQUIRE(reason(note_replaced_socket(file, "AA", rig::PortIndex{0}, far_future())) == "success");
    wear = read_wear(file);
    REQUIRE(wear);
    CHECK(wear->sockets == std::vector<SocketWear>{{"AA", rig::PortIndex{1}, 1}});
    CHECK_THAT(reason(note_replaced_socket(file, "BB", rig::PortIndex{0}, far_future())),
               ContainsSubstring("the ledger has no board \"BB\""));
}

TEST_CASE("a card has one mating cycle per physical separation at the end of a test") {
    const tests::Scratch scratch;
    const auto file = scratch / "store.db";
    {
        auto store = open_store(file);
        REQUIRE(reason(store) == "success");
        const std::string campaign = "0193a000-0000-7000-8000-000000000001";
        CampaignRecord record;
        record.id = campaign;
        REQUIRE(reason((*store)->begin(record)) == "success");
        DeviceRecord device;
        device.key = "card-1";
        device.name = "slot-1";
        device.identity.node = "/dev/sdb";
        REQUIRE(reason((*store)->put(campaign, device)) == "success");
        using rig::Detachment, rig::DetachLevel, rig::SupplyReading;
        const rig::Evidence handshake{
            .vanished = true,
            .supply = SupplyReading{.lowest_millivolts = 12, .fall = {}, .ramp = std::chrono::microseconds(1200)},
            .plug_watts = {}};
        const rig::Evidence cut{.vanished = true,
                                .supply = SupplyReading{.lowest_millivolts = 12, .fall = {}, .ramp = {}},
                                .plug_watts = {}};
        for (const Detachment& one :
             {Detachment(DetachLevel::supply_cut, handshake, "rig"), Detachment(DetachLevel::supply_cut, cut, "rig"),
              Detachment(DetachLevel::withdrawn, {.vanished = true, .supply = {}, .plug_watts = {}}, "a person"),
              Detachment(DetachLevel::withdrawn, {.vanished = true, .supply = {}, .plug_watts = {}}, "lab", true)})
            REQUIRE(reason((*store)->add(campaign, "card-1", one)) == "success");
    }
    const auto wear = read_wear(file);
    REQUIRE(reason(wear) == "success");
    CHECK(wear->cards == std::vector<CardWear>{{"card-1", "slot-1", 2}});
}
