// SPDX-License-Identifier: GPL-3.0-or-later
/// The state of a station: its lock and the capacities of its uplinks.
#include <unistd.h>

#include "host/app/campaigns.hpp"
#include "host/app/files/campaign_lock.hpp"
#include "host/app/files/uplink_file.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::app;
namespace fs = std::filesystem;

namespace {

struct Station : tests::Scratch {
    [[nodiscard]] fs::path store() const { return *this / "results.db"; }
};

const StationLock out_of_limits{.device = "golden",
                                .cell = "dd_direct.seq_read.2097152",
                                .why = "value 21, 61.20 MB/s: beyond",
                                .since = "2026-11-25"};

} // namespace

TEST_CASE("a station stays locked until a measurement of the medium that locked it is within the limits") {
    const Station station;
    CHECK(reason(check_station_free(station.store())) == "success");
    REQUIRE(reason(lock_station(station.store(), out_of_limits)) == "success");
    const auto lock = station_lock(station.store());
    REQUIRE(reason(lock) == "success");
    CHECK(*lock == out_of_limits);
    const auto free = check_station_free(station.store());
    REQUIRE_FALSE(free);
    CHECK(free.error().code == Errc::refused);
    CHECK(reason(free) ==
          "this station has been locked since 2026-11-25: dd_direct.seq_read.2097152 of the golden medium golden is "
          "out of limits (value 21, 61.20 MB/s: beyond); find and remove the cause, measure that medium again with "
          "--while-locked, then run mediarig rig control-chart --lock");
    // A measurement of another medium does not unlock the station.
    CHECK(unlock_station(station.store(), "other", out_of_limits.cell));
    CHECK_FALSE(check_station_free(station.store()));
    CHECK(unlock_station(station.store(), out_of_limits.device, out_of_limits.cell));
    CHECK(check_station_free(station.store()));
    CHECK(unlock_station(station.store(), out_of_limits.device, out_of_limits.cell));
}

TEST_CASE("an unreadable lock file keeps a station locked") {
    const Station station;
    station.write("station-lock.json", "{}");
    CHECK_THAT(reason(check_station_free(station.store())), ContainsSubstring("/mediarig_station_lock: is missing"));
    CHECK_FALSE(unlock_station(station.store(), "golden", "cell"));
}

TEST_CASE("a locked station begins no campaign and creates no store") {
    const Station station;
    REQUIRE(lock_station(station.store(), out_of_limits));
    plan::Plan plan;
    const auto refused = run_plan(plan, {.store = station.store()}, {});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::refused);
    CHECK_FALSE(fs::exists(station.store()));
}

TEST_CASE("capacities of uplinks are stored per machine next to the store, and a damaged file is reported") {
    const Station station;
    CHECK(load_ceilings(station.store())->empty());
    const store::TimePoint noon{std::chrono::seconds(1'764'072'000)};
    REQUIRE(reason(keep_ceilings(station.store(), "desk", {{"bus", 390e6, 4}}, noon)) == "success");
    REQUIRE(reason(keep_ceilings(station.store(), "lab", {{"bus", 3e6, 2}}, noon)) == "success");
    REQUIRE(reason(keep_ceilings(station.store(), "desk", {{"bus", 400e6, 5}}, noon)) == "success");
    const auto all = load_ceilings(station.store());
    REQUIRE(reason(all) == "success");
    CHECK(ceilings_of(*all, "desk") == std::map<std::string, double>{{"bus", 400e6}});
    CHECK(ceilings_of(*all, "lab") == std::map<std::string, double>{{"bus", 3e6}});
    CHECK(ceilings_of(*all, "other").empty());
    CHECK(all->front().measured_on == "2025-11-25");
    station.write("uplinks.json", "{");
    CHECK_THAT(reason(load_ceilings(station.store())), ContainsSubstring("uplinks.json: "));
    CHECK_FALSE(keep_ceilings(station.store(), "desk", {}, noon));
}
