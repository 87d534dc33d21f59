// SPDX-License-Identifier: GPL-3.0-or-later

#include "host/campaign/resources/uplink/ceilings.hpp"
#include "host/campaign/resources/uplink/meter.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::uplink;
using std::chrono::milliseconds;

namespace {

/// Two media that move `first` and `second` bytes per second, reported every 200 ms.
struct TwoMedia {
    Meter meter;
    milliseconds now{};
    std::map<std::string, std::uint64_t> done;

    void begin(const std::string& medium) {
        done[medium] = 0;
        meter.begin(medium, now);
    }
    void work(milliseconds length, const std::map<std::string, std::uint64_t>& rates) {
        for (const milliseconds end = now + length; now < end;) {
            now += milliseconds(200);
            for (const auto& [medium, rate] : rates) {
                done[medium] += rate / 5;
                meter.moved(medium, {"controller", medium + "'s hub"}, now, Bytes{done[medium]});
            }
        }
    }
};

} // namespace

TEST_CASE("the measured capacity of an uplink is the highest sum over five seconds with at least two active media") {
    TwoMedia two;
    two.begin("one");
    // A single medium limits the rate itself, so it is not counted.
    two.work(milliseconds(20'000), {{"one", 90'000'000}});
    CHECK(two.meter.ceilings().empty());
    two.begin("two");
    two.work(milliseconds(10'000), {{"one", 30'000'000}, {"two", 20'000'000}});
    two.work(milliseconds(20'000), {{"one", 25'000'000}, {"two", 20'000'000}});
    const auto found = two.meter.ceilings();
    REQUIRE(found.size() == 1);
    CHECK(found.front().uplink == "controller");
    CHECK(found.front().bytes_per_second == Approx(50e6).epsilon(0.01));
    CHECK(found.front().media == 2);
}

TEST_CASE("media that are active together for less than five seconds measure no capacity") {
    TwoMedia two;
    two.begin("one");
    two.begin("two");
    for (unsigned turn = 0; turn < 6; ++turn) {
        two.work(milliseconds(4'000), {{"one", 30'000'000}, {"two", 20'000'000}});
        two.work(milliseconds(3'000), {{"one", 50'000'000}});
        // The medium was idle in between: those bytes have no rate.
        two.begin("two");
    }
    CHECK(two.meter.ceilings().empty());
}

TEST_CASE("capacities are unchanged after conversion to JSON and back, and newer entries replace older entries") {
    std::vector<Ceiling> all{{"desk", "controller", 390e6, 4, "2026-11-24"},
                             {"lab", "controller", 40e6, 2, "2026-11-24"}};
    const auto read = parse_ceilings(to_json(all).dump());
    REQUIRE(reason(read) == "success");
    CHECK(*read == all);
    take_over(all, {{"desk", "controller", 410e6, 6, "2026-11-25"}});
    REQUIRE(all.size() == 2);
    CHECK(all.front().machine == "lab");
    CHECK(all.back().bytes_per_second == 410e6);
    CHECK(parse_ceilings(" \n")->empty());
}

TEST_CASE("an invalid file of capacities is reported with the position of the fault") {
    struct Row {
        const char* text;
        const char* why;
    };
    const Row rows[] = {
        {R"({"uplinks": []})", "/mediarig_uplinks: is missing"},
        {R"({"mediarig_uplinks": 2, "uplinks": []})", "/mediarig_uplinks: must be"},
        {R"({"mediarig_uplinks": 1})", "/uplinks: is missing"},
        {R"({"mediarig_uplinks": 1, "uplinks": [{}]})", "/uplinks/0/machine: is missing"},
        {R"({"mediarig_uplinks": 1, "uplinks": [{"machine": "a", "uplink": "b", "bytes_per_second": 0, "media": 2,
             "measured_on": "c"}]})",
         "/uplinks/0/bytes_per_second: must be above 0"},
        {R"({"mediarig_uplinks": 1, "uplinks": [{"machine": "a", "uplink": "b", "bytes_per_second": 9, "media": 1,
             "measured_on": "c"}]})",
         "/uplinks/0/media: must be"},
        {"nonsense", "line 1"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK_THAT(reason(parse_ceilings(row.text)), ContainsSubstring(row.why));
    }
}
