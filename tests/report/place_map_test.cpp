// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/place_map.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::report;
using workload::CheckedPlace, workload::PlaceState;

namespace {

CheckedPlace place(Bytes offset, PlaceState state) {
    return {.offset = offset, .length = 4_KiB, .state = state};
}

} // namespace

TEST_CASE("a part of a map has the worst state of the places that begin in it") {
    const std::vector<CheckedPlace> places{
        place(0_B, PlaceState::good),          place(1_GiB, PlaceState::slow),
        place(2_GiB, PlaceState::not_kept),    place(2_GiB + 4_KiB, PlaceState::unreadable),
        place(5_GiB, PlaceState::good),        place(6_GiB - 4_KiB, PlaceState::unreadable),
        place(8_GiB - 4_KiB, PlaceState::good)};
    const auto map = map_parts(8_GiB, places, 4);
    REQUIRE(map.size() == 4);
    CHECK(map[0] == PlaceState::slow);
    CHECK(map[1] == PlaceState::not_kept);
    CHECK(map[2] == PlaceState::unreadable);
    CHECK(map[3] == PlaceState::good);
    CHECK_FALSE(map_parts(8_GiB, {place(0_B, PlaceState::good)}, 4)[1]);
    CHECK(map_parts(8_GiB, {place(9_GiB, PlaceState::slow)}, 4)[3] == PlaceState::slow); // beyond the end
    CHECK_FALSE(map_parts(0_B, places, 1)[0]);
    CHECK(map_parts(8_GiB, places, 0).empty());
}

TEST_CASE("the lines of a map are 64 signs and a legend with the number of places") {
    workload::VerifyOutcome outcome;
    outcome.claimed = 64_GiB;
    CHECK(map_lines(outcome).empty());
    outcome.places = {place(0_B, PlaceState::good),
                      place(1_GiB, PlaceState::slow),
                      place(2_GiB, PlaceState::unreadable),
                      place(3_GiB, PlaceState::not_kept),
                      place(3_GiB + 4_KiB, PlaceState::not_kept),
                      place(4_GiB, PlaceState::unwritten)};
    std::string rest;
    for (int i = 5; i < 64; ++i) rest += "·";
    CHECK(map_lines(outcome) ==
          std::vector<std::string>{"█▒x!w" + rest,
                                   "places from 0 to 68.7 GB: █ 1 good, ▒ 1 slow, x 1 unreadable, w 1 unwritten, "
                                   "! 2 not kept; · not checked"});
}
