// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/sqlite/open_store.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"
#include "tests/store/database.hpp"

using namespace mediarig;
using namespace mediarig::store;

TEST_CASE("a stored detachment whose level was raised later is reported as damage") {
    const tests::Scratch scratch;
    const auto file = scratch / "store.db";
    const std::string campaign = "0193a000-0000-7000-8000-000000000002";
    {
        auto store = open_store(file);
        REQUIRE(reason(store) == "success");
        CampaignRecord record;
        record.id = campaign;
        REQUIRE(reason((*store)->begin(record)) == "success");
        DeviceRecord device;
        device.key = "card-1";
        device.name = "slot-1";
        device.identity.node = "/dev/sdb";
        REQUIRE(reason((*store)->put(campaign, device)) == "success");
        const rig::Detachment kept(rig::DetachLevel::supply_cut, {.vanished = true, .supply = {}, .plug_watts = {}},
                                   "rig");
        REQUIRE(reason((*store)->add(campaign, "card-1", kept)) == "success");
        const auto view = (*store)->load(campaign);
        REQUIRE(reason(view) == "success");
        CHECK(view->devices.at(0).detachments == std::vector{kept});
    }
    REQUIRE(Database(file)
                .run("UPDATE detachment SET detachment_json = replace(detachment_json, '\"level\":3', '\"level\":4')")
                .empty());
    auto store = open_store(file);
    REQUIRE(store);
    const auto view = (*store)->load(campaign);
    REQUIRE_FALSE(view);
    CHECK(view.error().code == Errc::store_failed);
    CHECK_THAT(
        view.error().detail,
        ContainsSubstring(
            "the store is damaged at the detachment of card-1: detachment: the record claims port_disabled (level 4)"));
}
